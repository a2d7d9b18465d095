#include "muster/math/top_eigen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/math/gemm.h"
#include "support/random_data.h"

namespace muster {
namespace {

TEST(TopEigen, EigenpairsOfAKnownSpectrum) {
  // K = sum_j 2^-j q_j q_j' for orthonormal q_j: take them from another decomposition of a random
  // matrix.
  const size_t n = 60;
  const Matrix<float> a = oracle::normal_matrix(n, n, Rng(1));
  Matrix<float> gram(n, n);
  gemm_nt(a, a, gram);
  const TopEigen found = top_eigenpairs(gram, 10, Rng(2));
  ASSERT_EQ(found.values.size(), 10u);
  for (size_t j = 0; j < 10; ++j) {
    EXPECT_LE(found.values[j], found.values[j > 0 ? j - 1 : 0]);
    double residual = 0, norm = 0;
    for (size_t i = 0; i < n; ++i) {
      double product = 0;
      for (size_t t = 0; t < n; ++t) product += double(gram(i, t)) * found.vectors(j, t);
      residual += std::pow(product - found.values[j] * found.vectors(j, i), 2);
      norm += std::pow(found.vectors(j, i), 2);
    }
    EXPECT_NEAR(norm, 1, 1e-4);
    EXPECT_LT(std::sqrt(residual), 0.02 * found.values[0]);
  }
}

TEST(TopEigen, DropsWhatHasNoVariance) {
  Matrix<float> gram(20, 20);
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 20; ++j) gram(i, j) = i % 2 == j % 2 ? 1.0f : 0.0f;
  const TopEigen found = top_eigenpairs(gram, 10, Rng(3));
  ASSERT_EQ(found.values.size(), 2u);
  EXPECT_NEAR(found.values[0], 10, 1e-4);
  EXPECT_NEAR(found.values[1], 10, 1e-4);
}

}  // namespace
}  // namespace muster
