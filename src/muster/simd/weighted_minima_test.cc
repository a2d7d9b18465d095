#include "muster/simd/weighted_minima.h"

#include <gtest/gtest.h>

#include "muster/core/rng.h"

namespace muster {
namespace {

Matrix<double> random_counts(size_t rows, size_t cols, Rng rng) {
  Matrix<double> out(rows, cols);
  for (double& value : out.values()) value = std::floor(rng.uniform(0, 9));
  return out;
}

// Whole numbers and powers of two: every order of the sums gives the same bits.
TEST(WeightedMinima, EqualTheNaiveLoopsExactlyAroundLaneEdges) {
  for (const size_t bins : {0, 1, 3, 4, 5, 8, 15, 16, 17, 33, 1030}) {
    for (const size_t rows : {1, 2, 3, 5, 8}) {
      const Matrix<double> a = random_counts(rows, bins, Rng(bins)),
                           b = random_counts(rows + 1, bins, Rng(bins + 1));
      std::vector<double> weights(bins);
      for (size_t t = 0; t < bins; ++t) weights[t] = std::ldexp(1.0, -static_cast<int>(t % 7));
      Matrix<double> out(rows, rows + 1), expected(rows, rows + 1);
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j <= rows; ++j) {
          out(i, j) = expected(i, j) = static_cast<double>(i + j);  // it adds to what is there
          for (size_t t = 0; t < bins; ++t)
            expected(i, j) += weights[t] * std::min(a(i, t), b(j, t));
        }
      add_weighted_minima(a, b, weights, out);
      EXPECT_EQ(out, expected) << rows << " x " << bins;
    }
  }
}

}  // namespace
}  // namespace muster
