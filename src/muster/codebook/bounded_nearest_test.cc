#include "muster/codebook/bounded_nearest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "oracle/distance.h"
#include "support/random_data.h"

namespace muster {
namespace {

// No centre is nearer than the one found, apart from rounding.
void expect_nearest(ConstMatrixView vectors, ConstMatrixView centres, const Assignment& found) {
  for (size_t i = 0; i < vectors.rows; ++i) {
    double least = 1e300;
    for (size_t j = 0; j < centres.rows; ++j)
      least = std::min(least, oracle::squared_distance(vectors.row(i), centres.row(j)));
    ASSERT_NEAR(oracle::squared_distance(vectors.row(i), centres.row(found.nearest[i])), least,
                1e-4 * (1 + least))
        << i;
    ASSERT_NEAR(found.squared_distances[i], least, 1e-4 * (1 + least)) << i;
  }
}

Matrix<float> clustered(size_t n, size_t dim, size_t clusters, uint64_t seed) {
  const Matrix<float> centres = oracle::normal_matrix(clusters, dim, Rng(99));
  Matrix<float> out = oracle::normal_matrix(n, dim, Rng(seed));
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < dim; ++t) out(i, t) = 0.4f * out(i, t) + centres(i % clusters, t);
  return out;
}

// Centres that wander: a little, a lot, hardly, and one of them across everything.
TEST(BoundedNearest, FindsTheNearestHoweverTheCentresMove) {
  for (const size_t num_centres : {130u, 333u}) {
    const Matrix<float> vectors = clustered(2500, 20, 40, 1);
    Matrix<float> centres = clustered(num_centres, 20, 40, 2);
    BoundedNearest nearest(vectors, centres);
    Assignment found;
    nearest.assign(centres, found);
    expect_nearest(vectors, centres, found);
    Rng rng(3);
    for (const double step : {0.05, 0.01, 1.0, 0.0, 0.02, 0.3, 0.001, 0.05}) {
      for (float& value : centres.values()) value += static_cast<float>(step * rng.normal());
      const size_t jumping = rng.below(num_centres);
      for (float& value : centres.row(jumping)) value = static_cast<float>(rng.normal());
      nearest.assign(centres, found);
      expect_nearest(vectors, centres, found);
    }
  }
}

TEST(BoundedNearest, EqualVectorsAndCentres) {
  Matrix<float> vectors(700, 16), centres(150, 16);
  std::ranges::fill(vectors.values(), 1.0f);
  std::ranges::fill(centres.values(), 1.0f);
  for (size_t i = 0; i < 350; ++i) vectors(i, 3) = 2;
  BoundedNearest nearest(vectors, centres);
  Assignment found;
  for (int round = 0; round < 3; ++round) {
    nearest.assign(centres, found);
    expect_nearest(vectors, centres, found);
    centres(static_cast<size_t>(round), 3) = 2;
  }
}

TEST(BoundedNearest, SameBytesForAnyThreadCount) {
  const Matrix<float> vectors = clustered(5000, 16, 30, 4);
  std::vector<Assignment> found(2);
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    Matrix<float> centres = clustered(160, 16, 30, 5);
    BoundedNearest nearest(vectors, centres);
    for (int round = 0; round < 4; ++round) {
      nearest.assign(centres, found[static_cast<size_t>(threads - 1)]);
      for (float& value : centres.values()) value *= 1.01f;
    }
  }
  EXPECT_EQ(found[0].nearest, found[1].nearest);
  EXPECT_EQ(found[0].squared_distances, found[1].squared_distances);
}

}  // namespace
}  // namespace muster
