#include "muster/simd/shares_simd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_data.h"

namespace muster {
namespace {

TEST(SharesSimd, RoundsAndSaysWhichRowsFit) {
  for (const size_t n : {1u, 7u, 16u, 37u}) {
    Matrix<float> rows = oracle::normal_matrix(4, n, Rng(n));
    rows(2, n - 1) = 40000;
    const std::vector<float> scales(n, 100.0f), weights(n, 2.0f);
    Matrix<int16_t> out(4, n);
    std::vector<uint8_t> fits(4);
    double sum = 0;
    for (size_t t = 0; t < n; ++t) sum += std::abs(200.0 * rows(1, t));
    // Row 1 is just beyond the sum that is allowed.
    round_to_int16(rows, scales, weights, static_cast<float>(0.999 * sum), out.view(), fits);
    EXPECT_EQ(fits[1], 0);
    EXPECT_EQ(fits[2], 0);
    for (const size_t i : {0u, 1u, 3u})
      for (size_t t = 0; t < n; ++t) EXPECT_NEAR(out(i, t), 100 * rows(i, t), 0.501);
    round_to_int16(rows, scales, weights, static_cast<float>(1.001 * sum), out.view(), fits);
    EXPECT_EQ(fits[1], 1);
  }
}

double naive_log_density(const DiagonalGaussians& gaussians, size_t m, std::span<const float> x) {
  double out = gaussians.constants[m];
  for (size_t t = 0; t < gaussians.means.cols(); ++t)
    out -= 0.5 * std::pow((x[t] - gaussians.means(m, t)) * gaussians.scales(m, t), 2);
  return out;
}

TEST(SharesSimd, EvaluatesWhatIsNearTheLargestAndAllOfRowsThatDoNotFit) {
  for (const size_t d : {1u, 5u, 16u, 35u, 70u})
    for (const size_t k : {1u, 9u, 40u}) {
      DiagonalGaussians gaussians{oracle::normal_matrix(k, d, Rng(d)),
                                  oracle::normal_matrix(k, d, Rng(k)), std::vector<float>(k, 3)};
      const Matrix<float> x = oracle::normal_matrix(6, d, Rng(3));
      Matrix<float> values = oracle::normal_matrix(6, k, Rng(4));
      const Matrix<float> before = values;
      const std::vector<uint8_t> fits{1, 1, 0, 1, 1, 1};
      size_t expected_count = 0;
      const size_t count = evaluate_largest(gaussians, x, 1, fits, 6 * k, values);
      for (size_t i = 0; i < 6; ++i)
        for (size_t m = 0; m < k; ++m) {
          const float largest = *std::ranges::max_element(before.row(i));
          const bool evaluated = fits[i] == 0 || before(i, m) >= largest - 1;
          expected_count += evaluated;
          const double naive = evaluated ? naive_log_density(gaussians, m, x.row(i)) : before(i, m);
          EXPECT_NEAR(values(i, m), naive, 1e-5 * (1 + std::abs(naive))) << d << " " << k;
        }
      EXPECT_EQ(count, expected_count);
      EXPECT_LE(evaluate_largest(gaussians, x, 1e9f, fits, 1, values), 1 + k);  // stops
    }
}

TEST(SharesSimd, SumsOverTheSharesThatCount) {
  for (const size_t n : {1u, 31u, 64u, 65u, 200u})
    for (const size_t d : {1u, 8u, 17u, 64u, 70u})
      for (const size_t k : {1u, 16u, 35u}) {
        const Matrix<float> x = oracle::normal_matrix(n, d, Rng(n + d));
        Matrix<float> shares = oracle::normal_matrix(n, k, Rng(k));
        const Matrix<float> least = oracle::normal_matrix(1, k, Rng(9));
        Matrix<float> products(k, 2 * d);
        size_t expected_count = 0;
        const size_t count = add_large_shares(shares, least.row(0), x, n * k, products);
        for (size_t m = 0; m < k; ++m)
          for (size_t t = 0; t < d; ++t) {
            double sum = 0, square = 0;
            for (size_t i = 0; i < n; ++i) {
              if (shares(i, m) < least(0, m)) continue;
              expected_count += t == 0;
              sum += static_cast<double>(shares(i, m)) * x(i, t);
              square += static_cast<double>(shares(i, m)) * x(i, t) * x(i, t);
            }
            EXPECT_NEAR(products(m, t), sum, 1e-4);
            EXPECT_NEAR(products(m, d + t), square, 3e-4);
          }
        EXPECT_EQ(count, expected_count);
      }
}

}  // namespace
}  // namespace muster
