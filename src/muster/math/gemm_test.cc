#include "muster/math/gemm.h"

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace muster {
namespace {

// Checks all three products of one shape against a double-precision loop.
void expect_products(size_t m, size_t n, size_t k) {
  const Rng rng(m * 10007 + n * 101 + k);
  const Matrix<float> a = oracle::normal_matrix(m, k, rng.derive("a")),
                      b = oracle::normal_matrix(n, k, rng.derive("b"));
  Matrix<float> at(k, m), bt(k, n), nt(m, n), nn(m, n), tn(m, n);
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p) at(p, i) = a(i, p);
  for (size_t j = 0; j < n; ++j)
    for (size_t p = 0; p < k; ++p) bt(p, j) = b(j, p);
  gemm_nt(a, b, nt);
  gemm_nn(a, bt, nn);
  gemm_tn(at, bt, tn, 2.0f);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double expected = 0, magnitude = 0;
      for (size_t p = 0; p < k; ++p) {
        expected += static_cast<double>(a(i, p)) * b(j, p);
        magnitude += std::abs(static_cast<double>(a(i, p)) * b(j, p));
      }
      const double tolerance = 1e-6 * (1 + magnitude);
      ASSERT_NEAR(nt(i, j), expected, tolerance);
      ASSERT_NEAR(nn(i, j), expected, tolerance);
      ASSERT_NEAR(tn(i, j), 2 * expected, 2 * tolerance);
    }
  }
}

TEST(Gemm, EqualsTheNaiveProductAroundLaneEdges) {
  for (size_t m : {1, 3, 17})
    for (size_t n : {1, 15, 16, 33})
      for (size_t k : {1, 7, 8, 50, 129}) expect_products(m, n, k);
}

TEST(Gemm, TheParallelProductIsTheSameBytesInItsPlaceOnly) {
  for (size_t n : {1, 255, 256, 257, 600}) {
    const Rng rng(n);
    const Matrix<float> a = oracle::normal_matrix(5, 9, rng.derive("a")),
                        b = oracle::normal_matrix(9, n, rng.derive("b"));
    Matrix<float> expected(5, n), wide(5, n + 3);
    for (size_t begin = 0; begin < n; begin += 256) {
      const size_t cols = std::min<size_t>(256, n - begin);
      gemm_nn(a, ConstMatrixView(b.data() + begin, 9, cols, n),
              MatrixView<float>(expected.data() + begin, 5, cols, n));
    }
    gemm_nn_parallel(a, b, MatrixView<float>(wide.data(), 5, n, n + 3));
    for (size_t i = 0; i < 5; ++i) {
      for (size_t j = 0; j < n; ++j) ASSERT_EQ(wide(i, j), expected(i, j));
      for (size_t j = n; j < n + 3; ++j) ASSERT_EQ(wide(i, j), 0);
    }
  }
}

TEST(Gemm, RespectsStridesAndBeta) {
  Matrix<float> a(4, 4), b(4, 4), c(4, 4);
  for (float& v : a.values()) v = 1;
  for (float& v : b.values()) v = 1;
  for (float& v : c.values()) v = 10;
  gemm_nt(ConstMatrixView(a.data(), 2, 3, 4), ConstMatrixView(b.data(), 2, 3, 4),
          MatrixView<float>(c.data(), 2, 2, 4), 1, 1);
  EXPECT_EQ(c(0, 0), 13);
  EXPECT_EQ(c(1, 1), 13);
  EXPECT_EQ(c(0, 2), 10);
  EXPECT_EQ(c(2, 0), 10);
}

TEST(Gemm, EmptyInnerDimensionScalesByBeta) {
  Matrix<float> a(2, 0), b(3, 0), c(2, 3);
  for (float& v : c.values()) v = 4;
  gemm_nt(a, b, c, 1, 0.5f);
  EXPECT_EQ(c(1, 2), 2);
}

}  // namespace
}  // namespace muster
