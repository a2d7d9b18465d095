#include "muster/simd/mixture_simd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_data.h"

namespace muster {
namespace {

TEST(MixtureSimd, SoftmaxEqualsTheNaiveOneForEveryWidth) {
  for (const float scale : {1.0f, 300.0f})
    for (size_t k = 1; k < 40; ++k) {
      Matrix<float> values = oracle::normal_matrix(3, k, Rng(k));
      for (float& value : values.values()) value *= scale;
      const Matrix<float> bias = oracle::normal_matrix(1, k, Rng(k + 100)), before = values;
      std::vector<float> sums(3);
      softmax_rows(values, bias.row(0), sums);
      for (size_t i = 0; i < 3; ++i) {
        double top = -1e300, total = 0;
        for (size_t j = 0; j < k; ++j)
          top = std::max(top, static_cast<double>(before(i, j)) + bias(0, j));
        for (size_t j = 0; j < k; ++j)
          total += std::exp(static_cast<double>(before(i, j)) + bias(0, j) - top);
        EXPECT_NEAR(sums[i], top + std::log(total), 1e-6 * (1 + std::abs(top))) << k;
        for (size_t j = 0; j < k; ++j)
          EXPECT_NEAR(values(i, j),
                      std::exp(static_cast<double>(before(i, j)) + bias(0, j) - top) / total, 3e-5)
              << k;
      }
    }
}

TEST(MixtureSimd, SoftmaxOfExtremeValuesStaysFinite) {
  Matrix<float> values(1, 3);
  values(0, 0) = -1e30f;
  values(0, 1) = 1e30f;
  std::vector<float> sums(1);
  softmax_rows(values, std::vector<float>(3), sums);
  EXPECT_EQ(values(0, 1), 1);
  EXPECT_EQ(values(0, 0), 0);
  EXPECT_TRUE(std::isfinite(sums[0]));
}

TEST(MixtureSimd, SegmentsAndSquares) {
  for (size_t d : {1u, 3u, 8u, 17u}) {
    const Matrix<float> rows = oracle::normal_matrix(5, 4 * d, Rng(d)),
                        offsets = oracle::normal_matrix(1, 4 * d, Rng(9));
    Matrix<float> out(5, 4), squared(5, 8 * d);
    half_squared_distances(rows, offsets.row(0), out);
    centre_and_square(rows, offsets.row(0), squared);
    for (size_t i = 0; i < 5; ++i) {
      for (size_t g = 0; g < 4; ++g) {
        double sum = 0;
        for (size_t t = g * d; t < (g + 1) * d; ++t) sum += std::pow(rows(i, t) - offsets(0, t), 2);
        EXPECT_NEAR(out(i, g), -sum / 2, 1e-5 * (1 + sum));
      }
      for (size_t t = 0; t < 4 * d; ++t) {
        EXPECT_EQ(squared(i, t), rows(i, t) - offsets(0, t));
        EXPECT_EQ(squared(i, 4 * d + t), squared(i, t) * squared(i, t));
      }
    }
  }
}

}  // namespace
}  // namespace muster
