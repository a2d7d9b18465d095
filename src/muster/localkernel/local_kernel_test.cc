#include "muster/localkernel/local_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/math/nearest.h"
#include "support/random_data.h"

namespace muster {
namespace {

constexpr LocalKernelKind kAllKinds[] = {
    LocalKernelKind::kGaussian, LocalKernelKind::kLaplacian,    LocalKernelKind::kCauchy,
    LocalKernelKind::kChi2,     LocalKernelKind::kIntersection, LocalKernelKind::kPolynomial};

Matrix<float> non_negative(size_t rows, size_t cols, uint64_t seed) {
  Matrix<float> out = oracle::normal_matrix(rows, cols, Rng(seed));
  for (float& value : out.values()) value = std::abs(value);
  return out;
}

LocalKernel kernel_of(LocalKernelKind kind, double gamma) {
  LocalKernelOptions options;
  options.kernel = kind;
  options.gamma = gamma;
  options.degree = 3;
  return LocalKernel(options);
}

TEST(LocalKernel, BlocksEqualTheValues) {
  for (LocalKernelKind kind : kAllKinds) {
    const LocalKernel kernel = kernel_of(kind, 0.3);
    const Matrix<float> a = non_negative(9, 5, 1), b = non_negative(17, 5, 2);
    Matrix<float> out(9, 17);
    kernel.block(a, half_squared_norms(a), b, half_squared_norms(b), out);
    for (size_t i = 0; i < 9; ++i)
      for (size_t j = 0; j < 17; ++j) {
        const double expected = kernel.value(a.row(i), b.row(j));
        EXPECT_NEAR(out(i, j), expected, 3e-6 * (1 + expected)) << static_cast<int>(kind);
      }
  }
}

TEST(LocalKernel, KnownValues) {
  const std::vector<float> x{1, 0}, y{0, 1};
  EXPECT_NEAR(kernel_of(LocalKernelKind::kGaussian, 0.5).value(x, y), std::exp(-1), 1e-12);
  EXPECT_NEAR(kernel_of(LocalKernelKind::kLaplacian, 0.5).value(x, y), std::exp(-1), 1e-12);
  EXPECT_NEAR(kernel_of(LocalKernelKind::kCauchy, 0.5).value(x, y), 0.5, 1e-12);
  EXPECT_EQ(kernel_of(LocalKernelKind::kChi2, 1).value(x, x), 1);
  EXPECT_EQ(kernel_of(LocalKernelKind::kIntersection, 1).value(x, y), 0);
  EXPECT_EQ(kernel_of(LocalKernelKind::kPolynomial, 1).value(x, x), 8);
}

TEST(LocalKernel, GradientsEqualDifferences) {
  for (LocalKernelKind kind : kAllKinds) {
    const LocalKernel kernel = kernel_of(kind, 0.3);
    if (!kernel.has_gradient()) continue;
    const Matrix<float> x = non_negative(1, 4, 3);
    const Matrix<float> y = non_negative(1, 4, 4);
    Matrix<float> factor(1, 1);
    factor(0, 0) = static_cast<float>(kernel.value(x.row(0), y.row(0)));
    kernel.to_gradient_factors(factor);
    for (size_t t = 0; t < 4; ++t) {
      Matrix<float> up = y, down = y;
      up(0, t) += 0.01f;
      down(0, t) -= 0.01f;
      const double step = double(up(0, t)) - down(0, t);
      const double difference =
          (kernel.value(x.row(0), up.row(0)) - kernel.value(x.row(0), down.row(0))) / step;
      EXPECT_NEAR(factor(0, 0) * (x(0, t) - y(0, t)), difference,
                  2e-3 * (1 + std::abs(difference)));
    }
  }
}

TEST(LocalKernel, AutomaticWidthFollowsTheScaleOfTheData) {
  LocalKernelOptions options;
  options.gamma = std::nullopt;
  Matrix<float> sample = oracle::normal_matrix(500, 10, Rng(5));
  const double gamma = LocalKernel(options, sample, Rng(1)).gamma();
  EXPECT_NEAR(1 / gamma, 20, 4);
  for (float& value : sample.values()) value *= 1000;
  EXPECT_NEAR(LocalKernel(options, sample, Rng(1)).gamma() * 1e6, gamma, 1e-3 * gamma);
  EXPECT_EQ(LocalKernel(options, Matrix<float>(10, 3), Rng(1)).gamma(), 1);
  EXPECT_EQ(LocalKernel(options, Matrix<float>(0, 3), Rng(1)).gamma(), 1);
}

}  // namespace
}  // namespace muster
