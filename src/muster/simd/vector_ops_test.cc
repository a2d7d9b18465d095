#include "muster/simd/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "muster/core/rng.h"

namespace muster {
namespace {

TEST(VectorOps, EqualTheNaiveLoopsAroundLaneEdges) {
  for (size_t n : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1001}) {
    Rng rng(n);
    std::vector<float> x(n), y(n);
    std::vector<double> z(n), expected(n);
    double sum = 0, magnitude = 0, distance = 0;
    for (size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(rng.normal());
      y[i] = static_cast<float>(rng.normal());
      z[i] = rng.normal();
      const double product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
      sum += product;
      distance += std::pow(static_cast<double>(x[i]) - y[i], 2);
      magnitude += std::abs(product);
      expected[i] = z[i] + 0.3 * static_cast<double>(x[i]);
    }
    EXPECT_NEAR(dot(x, y), sum, 1e-14 * (1 + magnitude));
    const std::vector<double> widened(y.begin(), y.end());
    EXPECT_NEAR(dot(x, std::span<const double>(widened)), sum, 1e-14 * (1 + magnitude));
    EXPECT_NEAR(squared_distance(x, y), distance, 1e-5 * (1 + distance));
    EXPECT_EQ(squared_distance(x, x), 0);
    axpy(0.3, x, z);
    for (size_t i = 0; i < n; ++i) EXPECT_NEAR(z[i], expected[i], 1e-14);
  }
}

}  // namespace
}  // namespace muster
