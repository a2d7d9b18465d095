#include "muster/kernelweights/simplex_qp.h"

#include <Eigen/QR>
#include <cmath>

namespace muster {
namespace {

constexpr double kGap = 1e-13;  // of the largest entry
constexpr int kIterations = 200000;
// Sums of that many steps are made again from their parts, so that rounding does not add up.
constexpr int kRefresh = 1000;
// What the exchange leaves below this is tried as zero.
constexpr double kSupport = 1e-9;

using Index = Eigen::Index;

// Largest gradient difference that the conditions of optimality forbid.
double violation(const Eigen::MatrixXd& quadratic, const Eigen::VectorXd& linear,
                 const Eigen::VectorXd& u) {
  const Eigen::VectorXd gradient = 2 * (quadratic * u - linear);
  double most = -INFINITY;
  for (Index j = 0; j < u.size(); ++j)
    if (u[j] > 0) most = std::max(most, gradient[j]);
  return most - gradient.minCoeff();
}

// Sequential minimal optimisation: as long as the conditions of optimality forbid it, the share of
// the variable with the largest gradient goes to the one with the smallest, as far as the objective
// falls.
Eigen::VectorXd exchange(const Eigen::MatrixXd& quadratic, const Eigen::VectorXd& linear) {
  const Index n = linear.size();
  Eigen::VectorXd u = Eigen::VectorXd::Constant(n, 1.0 / static_cast<double>(n));
  Eigen::VectorXd gradient(n);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    if (iteration % kRefresh == 0) gradient = 2 * (quadratic * u - linear);
    Index to = 0, from = -1;
    gradient.minCoeff(&to);
    for (Index j = 0; j < n; ++j)
      if (u[j] > 0 && (from < 0 || gradient[j] > gradient[from])) from = j;
    const double slope = gradient[from] - gradient[to];
    if (slope <= kGap) break;
    const double curvature = quadratic(to, to) + quadratic(from, from) - 2 * quadratic(to, from);
    const bool all = 2 * curvature * u[from] <= slope;
    const double step = all ? u[from] : slope / (2 * curvature);
    u[to] += step;
    u[from] = all ? 0 : u[from] - step;
    gradient += 2 * step * (quadratic.col(to) - quadratic.col(from));
  }
  return u / u.sum();
}

// The optimum among all u that are zero where the given one is: a linear system.
Eigen::VectorXd exact_on_support(const Eigen::MatrixXd& quadratic, const Eigen::VectorXd& linear,
                                 const Eigen::VectorXd& start) {
  std::vector<Index> support;
  for (Index j = 0; j < start.size(); ++j)
    if (start[j] > kSupport) support.push_back(j);
  const auto m = static_cast<Index>(support.size());
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(m + 1, m + 1);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(m + 1);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j)
      system(i, j) = quadratic(support[static_cast<size_t>(i)], support[static_cast<size_t>(j)]);
    system(i, m) = system(m, i) = 1;
    right[i] = linear[support[static_cast<size_t>(i)]];
  }
  right[m] = 1;
  const Eigen::VectorXd solved = system.completeOrthogonalDecomposition().solve(right);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(start.size());
  for (Index i = 0; i < m; ++i) out[support[static_cast<size_t>(i)]] = solved[i];
  return out;
}

}  // namespace

std::vector<double> solve_simplex_qp(MatrixView<const double> quadratic,
                                     std::span<const double> linear) {
  const auto n = static_cast<Index>(linear.size());
  MUSTER_CHECK(n > 0 && quadratic.rows == linear.size() && quadratic.cols == linear.size());
  Eigen::MatrixXd q(n, n);
  Eigen::VectorXd c(n);
  for (Index i = 0; i < n; ++i) {
    c[i] = linear[static_cast<size_t>(i)];
    for (Index j = 0; j < n; ++j)
      q(i, j) = quadratic(static_cast<size_t>(i), static_cast<size_t>(j));
  }
  const double scale = std::max(q.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff());
  if (scale > 0) {
    q /= scale;
    c /= scale;
  }
  Eigen::VectorXd u = exchange(q, c);
  const Eigen::VectorXd exact = exact_on_support(q, c, u);
  if (exact.minCoeff() >= 0 && exact.sum() > 0.5 && violation(q, c, exact) <= violation(q, c, u))
    u = exact / exact.sum();
  return std::vector<double>(u.data(), u.data() + n);
}

}  // namespace muster
