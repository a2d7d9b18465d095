#include "muster/math/pairwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/random_data.h"

namespace muster {
namespace {

using Term = std::function<double(double, double)>;
using AllPairs = void (*)(ConstMatrixView, ConstMatrixView, MatrixView<float>);

void expect_equal(AllPairs fast, const Term& term, bool non_negative) {
  for (size_t m : {1, 4, 5})
    for (size_t n : {1, 2, 7})
      for (size_t d : {1, 7, 8, 9, 17, 2049}) {
        Matrix<float> a = oracle::normal_matrix(m, d, Rng(m + d)),
                      b = oracle::normal_matrix(n, d, Rng(n * d));
        if (non_negative) {
          for (float& v : a.values()) v = std::max(0.0f, v);
          for (float& v : b.values()) v = std::max(0.0f, v);
        }
        Matrix<float> out(m, n);
        fast(a, b, out);
        for (size_t i = 0; i < m; ++i)
          for (size_t j = 0; j < n; ++j) {
            double expected = 0;
            for (size_t t = 0; t < d; ++t) expected += term(a(i, t), b(j, t));
            ASSERT_NEAR(out(i, j), expected, 2e-6 * (1 + static_cast<double>(d)));
          }
      }
}

TEST(Pairwise, Intersection) {
  expect_equal(
      pairwise_intersection, [](double a, double b) { return std::min(a, b); }, true);
}
TEST(Pairwise, Chi2) {
  expect_equal(
      pairwise_chi2, [](double a, double b) { return a + b == 0 ? 0 : 2 * a * b / (a + b); }, true);
}
TEST(Pairwise, L1) {
  expect_equal(
      pairwise_l1, [](double a, double b) { return std::abs(a - b); }, false);
}
TEST(Pairwise, SquaredL2) {
  expect_equal(
      pairwise_squared_l2, [](double a, double b) { return (a - b) * (a - b); }, false);
}

}  // namespace
}  // namespace muster
