#include "muster/simd/assignment_simd.h"

#include <gtest/gtest.h>

#include <limits>

#include "muster/core/rng.h"

namespace muster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whole numbers, few of them, so that there are ties.
std::vector<double> numbers(size_t n, uint64_t seed) {
  std::vector<double> out(n);
  Rng rng(seed);
  for (double& value : out) value = static_cast<double>(rng.below(n)) - 3;
  return out;
}

TEST(AssignmentSimd, TwoSmallestEqualThoseOfASortedRow) {
  for (size_t n = 2; n < 40; ++n)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<double> costs = numbers(n, seed), potentials = numbers(n, seed + 100);
      std::vector<std::pair<double, size_t>> sorted;
      for (size_t j = 0; j < n; ++j) sorted.emplace_back(costs[j] - potentials[j], j);
      std::ranges::sort(sorted);
      const TwoSmallest found = two_smallest(costs, potentials);
      EXPECT_EQ(found.value, sorted[0].first);
      EXPECT_EQ(found.column, sorted[0].second);
      EXPECT_EQ(found.next, sorted[1].first);
    }
}

TEST(AssignmentSimd, DistancesShortenWhereTheRowIsNearer) {
  for (size_t n = 1; n < 40; ++n)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<double> costs = numbers(n, seed);
      std::vector<double> potentials = numbers(n, seed + 100), taken(n);
      Distances distances{AlignedVector<double>(n), AlignedVector<double>(n, 7)};
      Rng rng(seed);
      for (size_t j = 0; j < n; ++j) {
        distances.values[j] = rng.below(3) == 0 ? kInfinity : static_cast<double>(rng.below(n));
        taken[j] = rng.below(2) == 0 ? kInfinity : 0;
        if (rng.below(4) == 0) potentials[j] = -kInfinity;
      }
      const Distances before = distances;
      const NearestColumn found = shorten(costs, potentials, 0.5, 4, taken, distances);
      NearestColumn expected{0, kInfinity, kInfinity};
      for (size_t j = 0; j < n; ++j) {
        const double through = costs[j] - potentials[j] - 0.5, old = before.values[j];
        EXPECT_EQ(distances.values[j], std::min(old, through));
        EXPECT_EQ(distances.from[j], through < old ? 4 : 7);
        const double now = distances.values[j];
        if (now < expected.distance) expected = {j, now, expected.of_free};
        if (taken[j] == 0) expected.of_free = std::min(expected.of_free, now);
      }
      EXPECT_EQ(found.distance, expected.distance);
      EXPECT_EQ(found.of_free, expected.of_free);
      if (expected.distance < kInfinity) {
        EXPECT_EQ(found.column, expected.column);
      }
    }
}

}  // namespace
}  // namespace muster
