#include "muster/kernelweights/simplex_qp.h"

#include <gtest/gtest.h>

#include <numeric>

#include "muster/core/rng.h"

namespace muster {
namespace {

TEST(SimplexQp, MeetsTheConditionsOfOptimality) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const size_t n = 1 + seed % 25,
                 rank = seed % 3 == 0 ? (n + 1) / 2 : 2 * n;  // every third is singular
    Matrix<double> factor(n, rank), q(n, n);
    for (double& value : factor.values()) value = rng.normal();
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        q(i, j) = std::inner_product(factor.row(i).begin(), factor.row(i).end(),
                                     factor.row(j).begin(), 0.0);
    std::vector<double> c(n);
    for (double& value : c) value = 3 * rng.normal();
    const std::vector<double> u = solve_simplex_qp(q, c);
    double scale = 0;
    for (double value : q.values()) scale = std::max(scale, std::abs(value));
    std::vector<double> gradient(n);
    for (size_t i = 0; i < n; ++i)
      gradient[i] =
          2 * (std::inner_product(u.begin(), u.end(), q.row(i).begin(), 0.0) - c[i]) / scale;
    const double least = *std::ranges::min_element(gradient);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_GE(u[i], 0);
      if (u[i] > 0) {
        EXPECT_NEAR(gradient[i], least, 1e-8) << "seed " << seed;
      }
    }
    EXPECT_NEAR(std::accumulate(u.begin(), u.end(), 0.0), 1, 1e-12);
  }
}

}  // namespace
}  // namespace muster
