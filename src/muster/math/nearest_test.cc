#include "muster/math/nearest.h"

#include <gtest/gtest.h>

#include "oracle/distance.h"
#include "support/random_data.h"

namespace muster {
namespace {

TEST(FindNearest, EqualsTheNaiveSearchAroundLaneAndTileEdges) {
  for (size_t k : {1, 2, 7, 8, 9, 31, 1000})
    for (size_t m : {1, 5, 67, 300})
      for (size_t d : {1, 3, 128}) {
        const auto vectors = oracle::normal_matrix(m, d, Rng(m * k + d));
        const auto centres = oracle::normal_matrix(k, d, Rng(k * 7 + d));
        std::vector<uint32_t> nearest(m);
        std::vector<float> distances(m);
        find_nearest(vectors, centres, half_squared_norms(centres), nearest, distances);
        for (size_t i = 0; i < m; ++i) {
          double best = oracle::squared_distance(vectors.row(i), centres.row(0));
          for (size_t j = 1; j < k; ++j)
            best = std::min(best, oracle::squared_distance(vectors.row(i), centres.row(j)));
          // Near ties may fall either way in single precision; the distance says whether it is
          // right.
          const double found = oracle::squared_distance(vectors.row(i), centres.row(nearest[i]));
          ASSERT_NEAR(found, best, 1e-5 * (1 + best));
          ASSERT_NEAR(distances[i], found, 1e-5 * (1 + static_cast<double>(d)));
        }
      }
}

TEST(FindNearest, FirstOfEqualCentres) {
  Matrix<float> vectors(1, 2), centres(20, 2);
  std::vector<uint32_t> nearest(1);
  find_nearest(vectors, centres, half_squared_norms(centres), nearest);
  EXPECT_EQ(nearest[0], 0u);
}

TEST(FindNearest, NoVectors) {
  Matrix<float> vectors(0, 2), centres(3, 2);
  find_nearest(vectors, centres, half_squared_norms(centres), {});
}

}  // namespace
}  // namespace muster
