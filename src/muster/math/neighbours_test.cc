#include "muster/math/neighbours.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/core/parallel.h"
#include "oracle/neighbours.h"
#include "support/random_data.h"

namespace muster {
namespace {

TEST(NeighbourSearch, EqualsTheNaiveSearchAroundBlockEdges) {
  for (const Metric metric : {Metric::kEuclidean, Metric::kCosine})
    for (const size_t rows : {1, 7, 1023, 1025, 2100})
      for (const size_t dim : {1, 9, 40}) {
        const auto data = oracle::normal_matrix(rows, dim, Rng(rows + dim));
        const auto queries = oracle::normal_matrix(66, dim, Rng(dim));
        const auto found = NeighbourSearch(data, metric).find(queries, 11);
        for (size_t q = 0; q < queries.rows(); ++q) {
          const auto distances = oracle::distances(queries.row(q), data, metric == Metric::kCosine);
          const auto expected = oracle::ranked(distances);
          ASSERT_EQ(found[q].size(), std::min<size_t>(11, rows));
          // In one dimension most cosines are 1: only distances can be compared.
          for (size_t r = 0; r < found[q].size(); ++r)
            ASSERT_NEAR(distances[found[q][r].row], distances[expected[r]], 1e-9)
                << rows << " x " << dim;
        }
      }
}

TEST(NeighbourSearch, OfEqualRowsTheFirstWhereverTheyStand) {
  // Three copies of each row, in different blocks and at different places of a tile.
  const auto once = oracle::normal_matrix(700, 33, Rng(3));
  Matrix<float> rows(2100, 33);
  for (size_t r = 0; r < rows.rows(); ++r)
    std::ranges::copy(once.row(r % 700), rows.row(r).begin());
  for (const Metric metric : {Metric::kEuclidean, Metric::kCosine}) {
    const auto found = NeighbourSearch(rows, metric).find(once, 2);
    for (size_t q = 0; q < once.rows(); ++q) {
      EXPECT_EQ(found[q][0].row, q);
      EXPECT_EQ(found[q][1].row, q + 700);
      EXPECT_EQ(found[q][0].score, found[q][1].score);
    }
  }
}

TEST(NeighbourSearch, ALargeCommonPartDoesNotHideSmallDifferences) {
  // In single precision the products differ by less than they are rounded.
  Matrix<float> rows(300, 64);
  Rng rng(5);
  for (size_t r = 0; r < rows.rows(); ++r)
    for (float& value : rows.row(r)) value = static_cast<float>(100 + 0.001 * rng.normal());
  const auto found = NeighbourSearch(rows, Metric::kEuclidean).find(rows, 3);
  for (size_t q = 0; q < rows.rows(); ++q) {
    const auto expected = oracle::ranked(oracle::distances(rows.row(q), rows, false));
    for (size_t r = 0; r < 3; ++r) ASSERT_EQ(found[q][r].row, expected[r]);
  }
}

RC_GTEST_PROP(NeighbourSearch, PassesOverTheOwnPartAndThreadsChangeNothing, (uint64_t seed)) {
  const size_t n = 1 + seed % 40;
  const auto rows = oracle::normal_matrix(n, 3, Rng(seed));
  std::vector<int> parts;
  for (size_t i = 0; i < n; ++i) parts.push_back(static_cast<int>((seed >> (i % 60)) & 1));
  const NeighbourSearch search(rows, Metric::kEuclidean);
  const auto find = [&](int threads) {
    const ThreadLimit limit(threads);
    return search.find(rows, 4, parts, parts);
  };
  const auto found = find(1);
  RC_ASSERT(found == find(2));
  for (size_t q = 0; q < n; ++q) {
    std::vector<size_t> expected;
    for (const size_t r : oracle::ranked(oracle::distances(rows.row(q), rows, false)))
      if (parts[r] != parts[q] && expected.size() < 4) expected.push_back(r);
    std::vector<size_t> got;
    for (const Neighbour& one : found[q]) got.push_back(one.row);
    RC_ASSERT(got == expected);
  }
}

TEST(NeighbourSearch, NothingToFind) {
  const Matrix<float> none(0, 3), some(2, 3);
  EXPECT_TRUE(NeighbourSearch(none, Metric::kCosine).find(some, 5)[1].empty());
  EXPECT_TRUE(NeighbourSearch(some, Metric::kCosine).find(none, 5).empty());
  EXPECT_TRUE(NeighbourSearch(some, Metric::kCosine).find(some, 0)[0].empty());
  // Zeros have no direction.
  EXPECT_EQ(NeighbourSearch(some, Metric::kCosine).find(some, 2)[0],
            (Neighbours{{0, 0.0}, {1, 0.0}}));
}

}  // namespace
}  // namespace muster
