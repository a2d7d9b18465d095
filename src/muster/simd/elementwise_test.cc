#include "muster/simd/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/random_data.h"

namespace muster {
namespace {

TEST(Elementwise, ExpAndCosAroundLaneEdges) {
  for (size_t n : {0, 1, 7, 8, 9, 16, 33}) {
    const Matrix<float> values = oracle::normal_matrix(1, n, Rng(n));
    Matrix<float> exps = values, coss = values;
    for (float& v : coss.values()) v *= 30;
    const Matrix<float> angles = coss;
    exp_scaled(exps.values(), -2);
    cosines(coss.values());
    for (size_t i = 0; i < n; ++i) {
      const double expected = std::exp(-2.0 * values(0, i));
      EXPECT_NEAR(exps(0, i), expected, 1e-6 * expected);
      EXPECT_NEAR(coss(0, i), std::cos(static_cast<double>(angles(0, i))),
                  2e-7 * (1 + std::abs(angles(0, i))));
    }
  }
}

TEST(Elementwise, SignedRootsAreExact) {
  for (const size_t n : {1, 7, 16, 33}) {
    std::vector<float> values;
    for (size_t i = 0; i < n; ++i)
      values.push_back((i % 3 == 0 ? -1.0F : 1.0F) * 0.37F * static_cast<float>(i));
    std::vector<float> roots = values;
    signed_roots(roots, 0.3F);
    for (size_t i = 0; i < n; ++i)
      EXPECT_EQ(roots[i], std::copysign(std::sqrt(std::abs(values[i]) * 0.3F), values[i]));
  }
}

TEST(Elementwise, CosAtQuadrants) {
  std::vector<float> values{0, 1.5707964f, 3.1415927f, 4.712389f, 6.2831855f, -3.1415927f, 1000};
  const std::vector<float> angles = values;
  cosines(values);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], std::cos(static_cast<double>(angles[i])), 1e-4) << angles[i];
  EXPECT_NEAR(values[0], 1, 1e-6);
  EXPECT_NEAR(values[2], -1, 1e-6);
}

TEST(Elementwise, GaussianFromProducts) {
  const auto product = [](std::span<const float> x, std::span<const float> y) {
    return static_cast<float>(std::inner_product(x.begin(), x.end(), y.begin(), 0.0));
  };
  for (size_t n : {1, 8, 13}) {
    const Matrix<float> a = oracle::normal_matrix(5, 3, Rng(1)),
                        b = oracle::normal_matrix(n, 3, Rng(2));
    Matrix<float> out(5, n);
    std::vector<float> half_a, half_b;
    for (size_t i = 0; i < 5; ++i) half_a.push_back(product(a.row(i), a.row(i)) / 2);
    for (size_t j = 0; j < n; ++j) half_b.push_back(product(b.row(j), b.row(j)) / 2);
    for (size_t i = 0; i < 5; ++i)
      for (size_t j = 0; j < n; ++j) out(i, j) = product(a.row(i), b.row(j));
    gaussian_from_products(out, half_a, half_b, 0.7f);
    for (size_t i = 0; i < 5; ++i)
      for (size_t j = 0; j < n; ++j) {
        double distance = 0;
        for (size_t t = 0; t < 3; ++t) distance += std::pow(double(a(i, t)) - b(j, t), 2);
        EXPECT_NEAR(out(i, j), std::exp(-0.7 * distance), 2e-6);
      }
  }
}

TEST(Elementwise, SumsOverRows) {
  for (size_t n : {1, 8, 16, 17, 40}) {
    const Matrix<float> values = oracle::normal_matrix(11, n, Rng(n));
    const Matrix<float> phases = oracle::normal_matrix(1, n, Rng(n + 1));
    std::vector<float> cos_sum(n, 1.0f), sum(n, 1.0f);
    add_cosines_of_rows(values, phases.values(), cos_sum);
    add_rows(values, sum);
    double total = 0;
    for (size_t t = 0; t < n; ++t) {
      double expected_cos = 1, expected = 1;
      for (size_t i = 0; i < 11; ++i) {
        expected_cos += std::cos(double(values(i, t)) + phases(0, t));
        expected += values(i, t);
        total += values(i, t);
      }
      EXPECT_NEAR(cos_sum[t], expected_cos, 2e-5);
      EXPECT_NEAR(sum[t], expected, 1e-5);
    }
    EXPECT_NEAR(sum_of_values(values), total, 1e-4);
  }
}

TEST(Elementwise, PowersAndMaximaAroundLaneEdges) {
  for (size_t n : {0, 1, 3, 4, 5, 8, 9, 17}) {
    const Matrix<float> values = oracle::normal_matrix(6, n, Rng(n));
    for (int power : {1, 2, 3, 9}) {
      double expected = 0, size = 1e-12;
      for (float v : values.values()) {
        expected += std::pow(static_cast<double>(v), power);
        size += std::pow(std::abs(static_cast<double>(v)), power);
      }
      EXPECT_NEAR(sum_of_powers(values, power), expected, 1e-13 * size);
    }
    std::vector<float> rows(6, -0.5f), cols(n, -0.5f), expected_rows = rows, expected_cols = cols;
    raise_to_maxima(values, rows, cols);
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < n; ++j) {
        expected_rows[i] = std::max(expected_rows[i], values(i, j));
        expected_cols[j] = std::max(expected_cols[j], values(i, j));
      }
    EXPECT_EQ(rows, expected_rows);
    EXPECT_EQ(cols, expected_cols);
  }
}

}  // namespace
}  // namespace muster
