#include "muster/math/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "muster/core/rng.h"

namespace muster {
namespace {

// X X^T / n + ridge I with X n x n: positive definite, with a known least eigenvalue.
Matrix<float> random_definite(size_t n, double ridge, Rng rng) {
  Eigen::MatrixXd x(n, n);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = rng.normal();
  const Eigen::MatrixXd product = x * x.transpose() / std::max(1.0, static_cast<double>(n));
  Matrix<float> out(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      out(i, j) =
          static_cast<float>(product(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +
                             (i == j ? ridge : 0));
  return out;
}

class CholeskyOfSize : public testing::TestWithParam<size_t> {};

// Sizes around the edges of blocks and strips.
INSTANTIATE_TEST_SUITE_P(Sizes, CholeskyOfSize,
                         testing::Values(0, 1, 2, 31, 32, 33, 64, 127, 161, 300));

TEST_P(CholeskyOfSize, FactorTimesItsTransposeIsTheMatrix) {
  const size_t n = GetParam();
  const Matrix<float> a = random_definite(n, 0.1, Rng(n + 1));
  Matrix<float> lower = a;
  ASSERT_TRUE(factor_cholesky(lower));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (size_t k = 0; k <= j; ++k) sum += static_cast<double>(lower(i, k)) * lower(j, k);
      EXPECT_NEAR(sum, a(i, j), 2e-5);
    }
}

TEST_P(CholeskyOfSize, SolvesTheSystem) {
  const size_t n = GetParam();
  const Matrix<float> a = random_definite(n, 1, Rng(n + 2));
  Matrix<float> lower = a;
  ASSERT_TRUE(factor_cholesky(lower));
  Rng rng(5);
  std::vector<double> x(n), expected(n);
  for (double& value : expected) value = rng.normal();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) x[i] += a(i, j) * expected[j];
  solve_cholesky(lower, x);
  for (size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-4);
}

TEST_P(CholeskyOfSize, InverseTimesTheMatrixIsTheUnit) {
  const size_t n = GetParam();
  const Matrix<float> a = random_definite(n, 1, Rng(n + 3));
  Matrix<float> lower = a;
  ASSERT_TRUE(factor_cholesky(lower));
  const Matrix<float> inverse = inverse_from_cholesky(lower);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k) sum += static_cast<double>(a(i, k)) * inverse(k, j);
      EXPECT_NEAR(sum, i == j ? 1 : 0, 2e-5);
    }
}

TEST(Cholesky, SaysSoWhereTheMatrixIsNotPositiveDefinite) {
  for (const size_t n : {1u, 40u, 100u}) {
    Matrix<float> a = random_definite(n, 0.1, Rng(3));
    a(n - 1, n - 1) = -1;
    EXPECT_FALSE(factor_cholesky(a)) << n;
  }
}

}  // namespace
}  // namespace muster
