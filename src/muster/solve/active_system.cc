#include "muster/solve/active_system.h"

#include <algorithm>
#include <cmath>

#include "muster/math/cholesky.h"
#include "muster/simd/vector_ops.h"
#include "muster/solve/inner_product.h"

namespace muster {
namespace {

constexpr int kMaxSteps = 50;

double largest(std::span<const double> values) {
  double worst = 0;
  for (const double value : values) worst = std::max(worst, std::abs(value));
  return worst;
}

}  // namespace

ActiveSystem::ActiveSystem(MatrixView<const float> gram, std::span<const uint32_t> active,
                           std::span<const double> ridges)
    : ridges_(ridges), gram_(active.size(), active.size()) {
  MUSTER_CHECK(active.size() == ridges.size());
  for (size_t r = 0; r < active.size(); ++r) {
    const auto from = gram.row(active[r]);
    const auto to = gram_.row(r);
    for (size_t c = 0; c < active.size(); ++c) to[c] = from[active[c]];
  }
  lower_ = gram_;
  for (size_t i = 0; i < active.size(); ++i)
    lower_(i, i) = static_cast<float>(static_cast<double>(lower_(i, i)) + ridges[i]);
  factored_ = factor_cholesky(lower_);
}

std::vector<double> ActiveSystem::product(std::span<const double> x) const {
  std::vector<double> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] += ridges_[i] * x[i];
    axpy(x[i], gram_.row(i), out);
  }
  return out;
}

std::vector<double> ActiveSystem::solve(std::span<const double> b, double tolerance) const {
  MUSTER_CHECK(factored_ && b.size() == ridges_.size());
  std::vector<double> x(b.size()), residual(b.begin(), b.end()), direction(b.size());
  double steepness = 1;
  for (int step = 0; step < kMaxSteps && largest(residual) > tolerance; ++step) {
    std::vector<double> preconditioned = residual;
    solve_cholesky(lower_, preconditioned);
    const double next = inner(residual, preconditioned);
    const double keep = step == 0 ? 0 : next / steepness;
    steepness = next;
    for (size_t i = 0; i < direction.size(); ++i)
      direction[i] = preconditioned[i] + keep * direction[i];
    const std::vector<double> image = product(direction);
    const double curvature = inner(direction, image);
    if (!(steepness > 0 && curvature > 0)) break;
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] += steepness / curvature * direction[i];
      residual[i] -= steepness / curvature * image[i];
    }
  }
  return x;
}

}  // namespace muster
