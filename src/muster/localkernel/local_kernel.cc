#include "muster/localkernel/local_kernel.h"

#include <algorithm>
#include <cmath>

#include "muster/math/gemm.h"
#include "muster/math/pairwise.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

constexpr size_t kPairsForMedian = 2000;

double dot(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) sum += static_cast<double>(x[t]) * y[t];
  return sum;
}

double squared_l2(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) {
    const double difference = static_cast<double>(x[t]) - y[t];
    sum += difference * difference;
  }
  return sum;
}

double l1(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) sum += std::abs(static_cast<double>(x[t]) - y[t]);
  return sum;
}

double chi2(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) {
    const double a = x[t], b = y[t];
    if (a + b != 0) sum += 2 * a * b / (a + b);
  }
  return sum;
}

double intersection(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) sum += std::min(x[t], y[t]);
  return sum;
}

// What gamma multiplies, between two random vectors of the sample.
double typical_scale(LocalKernelKind kind, ConstMatrixView sample, Rng rng) {
  if (sample.rows < 2) return 1;
  std::vector<double> values;
  for (size_t p = 0; p < kPairsForMedian; ++p) {
    const size_t i = rng.below(sample.rows), j = rng.below(sample.rows);
    if (kind == LocalKernelKind::kPolynomial) {
      values.push_back(dot(sample.row(i), sample.row(i)));
    } else if (i != j) {
      values.push_back(kind == LocalKernelKind::kLaplacian
                           ? l1(sample.row(i), sample.row(j))
                           : squared_l2(sample.row(i), sample.row(j)));
    }
  }
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle > 0 ? *middle : 1;
}

}  // namespace

void LocalKernelOptions::fields(Fields& f) {
  f.choice("kernel", kernel,
           {"gaussian", "laplacian", "cauchy", "chi2", "intersection", "polynomial"},
           "kernel between two vectors")
      .paper("EMK 2");
  f("gamma", gamma, "width of the kernel; auto is 1 / median distance of a sample")
      .range(1e-12, 1e12)
      .paper("EMK 4");
  f("degree", degree, "polynomial kernel: its degree").range(1, 20);
  f("offset", offset, "polynomial kernel: added to the dot product").range(0, 1e6);
}

LocalKernel::LocalKernel(const LocalKernelOptions& options, ConstMatrixView sample, Rng rng)
    : options_(options) {
  if (!options_.gamma)
    options_.gamma = 1 / typical_scale(options_.kernel, sample, rng.derive("gamma"));
}

LocalKernel::LocalKernel(const LocalKernelOptions& options) : options_(options) {
  MUSTER_CHECK(options_.gamma.has_value());
}

double LocalKernel::value(std::span<const float> x, std::span<const float> y) const {
  switch (options_.kernel) {
    case LocalKernelKind::kGaussian:
      return std::exp(-gamma() * squared_l2(x, y));
    case LocalKernelKind::kLaplacian:
      return std::exp(-gamma() * l1(x, y));
    case LocalKernelKind::kCauchy:
      return 1 / (1 + gamma() * squared_l2(x, y));
    case LocalKernelKind::kChi2:
      return chi2(x, y);
    case LocalKernelKind::kIntersection:
      return intersection(x, y);
    case LocalKernelKind::kPolynomial:
      return std::pow(gamma() * dot(x, y) + options_.offset, options_.degree);
  }
  MUSTER_CHECK(false);
  return 0;
}

void LocalKernel::block(ConstMatrixView a, std::span<const float> half_a, ConstMatrixView b,
                        std::span<const float> half_b, MatrixView<float> out) const {
  const auto g = static_cast<float>(gamma());
  switch (options_.kernel) {
    case LocalKernelKind::kGaussian:
      gemm_nt(a, b, out);
      gaussian_from_products(out, half_a, half_b, g);
      return;
    case LocalKernelKind::kLaplacian:
      pairwise_l1(a, b, out);
      for (size_t i = 0; i < out.rows; ++i) exp_scaled(out.row(i), -g);
      return;
    case LocalKernelKind::kCauchy:
      gemm_nt(a, b, out);
      for (size_t i = 0; i < out.rows; ++i)
        for (size_t j = 0; j < out.cols; ++j)
          out(i, j) = 1 / (1 + 2 * g * std::max(0.0f, half_a[i] + half_b[j] - out(i, j)));
      return;
    case LocalKernelKind::kChi2:
      pairwise_chi2(a, b, out);
      return;
    case LocalKernelKind::kIntersection:
      pairwise_intersection(a, b, out);
      return;
    case LocalKernelKind::kPolynomial:
      gemm_nt(a, b, out);
      for (size_t i = 0; i < out.rows; ++i)
        for (float& v : out.row(i)) {
          const float base = g * v + static_cast<float>(options_.offset);
          float power = base;
          for (int p = 1; p < options_.degree; ++p) power *= base;
          v = power;
        }
      return;
  }
}

bool LocalKernel::has_gradient() const {
  return options_.kernel == LocalKernelKind::kGaussian ||
         options_.kernel == LocalKernelKind::kCauchy;
}

void LocalKernel::to_gradient_factors(MatrixView<float> values) const {
  MUSTER_CHECK(has_gradient());
  const auto factor = static_cast<float>(2 * gamma());
  const bool gaussian = options_.kernel == LocalKernelKind::kGaussian;
  for (size_t i = 0; i < values.rows; ++i)
    for (float& k : values.row(i)) k = factor * (gaussian ? k : k * k);
}

}  // namespace muster
