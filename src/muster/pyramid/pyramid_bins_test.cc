// What sums pyramids of many sets over threads: sorted keys, their ranges, and trees over parts.
#include "muster/pyramid/pyramid_bins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "muster/pyramid/key_ranges.h"

namespace muster {
namespace {

// Keys that agree in their first words and last bits, some of them twice.
BinKeys clustered_keys(size_t count, size_t dim, int num_planes, Rng rng) {
  BinKeys out(dim, num_planes, count);
  std::vector<std::vector<uint64_t>> centres(8, std::vector<uint64_t>(out.words));
  for (auto& centre : centres)
    for (uint64_t& word : centre) word = rng.below(4) << 40;
  for (size_t i = 0; i < count; ++i) {
    std::ranges::copy(centres[rng.below(8)], out.key(i));
    for (size_t w = 0; w < out.words; ++w) out.key(i)[w] ^= uint64_t{rng.below(50)} << (8 * w);
    round_down(out, out.key(i), 0);
  }
  return out;
}

TEST(SortedOrder, IsThatOfAStableSort) {
  for (const auto& [dim, num_planes] : {std::pair{12u, 10}, {2u, 11}, {70u, 4}, {64u, 1}})
    for (size_t count : {0, 1, 20, 33, 3000}) {
      const BinKeys keys = clustered_keys(count, dim, num_planes, Rng(count + dim));
      std::vector<uint32_t> expected(count);
      std::iota(expected.begin(), expected.end(), 0u);
      std::ranges::stable_sort(expected, [&](uint32_t i, uint32_t j) {
        return key_less(keys, keys.key(i), keys.key(j));
      });
      EXPECT_EQ(sorted_order(keys), expected) << dim << ", " << count;
    }
}

TEST(RoundDown, GivesTheLeastKeyOfTheBin) {
  BinKeys keys = clustered_keys(200, 12, 10, Rng(1));
  for (int level = 0; level <= 10; ++level)
    for (size_t i = 0; i < keys.size(); ++i) {
      BinKeys least = keys;
      round_down(least, least.key(i), level);
      EXPECT_LE(merge_level(keys, least.key(i), keys.key(i)), level);
      for (size_t j = 0; j < keys.size(); ++j)
        EXPECT_FALSE(merge_level(keys, keys.key(i), keys.key(j)) <= level &&
                     key_less(keys, keys.key(j), least.key(i)));
    }
}

struct RangesCase {
  size_t num_sets, keys_per_set, dim;
  int num_planes;
};

class KeyRangesTest : public testing::TestWithParam<RangesCase> {};

TEST_P(KeyRangesTest, HoldAllKeysInOrderAndAreAboutEqual) {
  constexpr size_t kKeysPerRange = 512;
  const auto [num_sets, keys_per_set, dim, num_planes] = GetParam();
  std::vector<FinestBins> sets;
  std::vector<const BinKeys*> keys;
  size_t total = 0;
  for (size_t s = 0; s < num_sets; ++s) {
    BinKeys random(dim, num_planes, keys_per_set);
    Rng rng(s);
    for (uint64_t& word : random.bits) word = rng.below(1u << 31) * rng.below(1u << 31);
    for (size_t i = 0; i < keys_per_set; ++i) round_down(random, random.key(i), 0);
    sets.push_back(finest_bins(random));
    total += sets.back().counts.size();
  }
  for (const FinestBins& set : sets) keys.push_back(&set.keys);
  const KeyRanges ranges(keys, kKeysPerRange);
  ASSERT_GT(ranges.size(), total / kKeysPerRange / 3);
  const uint64_t* last = nullptr;
  for (size_t r = 0; r < ranges.size(); ++r) {
    const uint64_t *least = nullptr, *greatest = nullptr;
    size_t count = 0;
    for (size_t s = 0; s < num_sets; ++s) {
      ASSERT_EQ(ranges.begin(s, r), r == 0 ? 0 : ranges.end(s, r - 1));
      const size_t begin = ranges.begin(s, r), end = ranges.end(s, r);
      count += end - begin;
      if (begin == end) continue;
      if (!least || key_less(*keys[0], keys[s]->key(begin), least)) least = keys[s]->key(begin);
      if (!greatest || key_less(*keys[0], greatest, keys[s]->key(end - 1)))
        greatest = keys[s]->key(end - 1);
    }
    ASSERT_GT(count, 0u);
    EXPECT_LT(count, 3 * kKeysPerRange);
    EXPECT_TRUE(r == 0 || key_less(*keys[0], last, least));
    EXPECT_EQ(ranges.merge_level(r), r == 0 ? kNoNeighbour : merge_level(*keys[0], last, least));
    last = greatest;
  }
  EXPECT_EQ(ranges.merge_level(ranges.size()), kNoNeighbour);
  for (size_t s = 0; s < num_sets; ++s)
    EXPECT_EQ(ranges.end(s, ranges.size() - 1), keys[s]->size());
}

// Sets of 16 keys are as many as there are between two samples.
INSTANTIATE_TEST_SUITE_P(Sets, KeyRangesTest,
                         testing::Values(RangesCase{40, 300, 12, 10}, RangesCase{500, 16, 12, 10},
                                         RangesCase{3, 4000, 2, 12}, RangesCase{30, 300, 70, 2}));

TEST(KeyRanges, EqualKeysAreNeverCut) {
  BinKeys same(3, 4, 1);
  same.bits[0] = uint64_t{0x123} << 52;
  const std::vector<const BinKeys*> keys(2000, &same);
  EXPECT_EQ(KeyRanges(keys, 512).size(), 1u);
}

// Bins of level 0 with one set each, from left to right.
struct Leaves {
  std::vector<int> merge_levels;  // with the one before
  std::vector<BinCount> counts;
};

Leaves random_leaves(size_t count, size_t num_sets, int num_levels, Rng rng) {
  Leaves out;
  for (size_t k = 0; k < count; ++k) {
    const double level = std::sqrt(rng.uniform()) * (num_levels + 1);
    out.merge_levels.push_back(k == 0 ? kNoNeighbour : static_cast<int>(level));
    out.counts.push_back(
        {static_cast<uint32_t>(rng.below(num_sets)), static_cast<uint32_t>(1 + rng.below(3))});
  }
  return out;
}

double weight_of(int from, int to) {
  return std::ldexp(1.0, -from) - (to == kForever ? 0 : std::ldexp(1.0, -to));
}

// Level by level, bin by bin, pair by pair.
Matrix<double> naive_intersections(const Leaves& leaves, size_t num_sets, int num_levels) {
  Matrix<double> out(num_sets, num_sets);
  for (int level = 0; level <= num_levels; ++level)
    for (size_t begin = 0, end; begin < leaves.counts.size(); begin = end) {
      std::vector<uint32_t> histogram(num_sets);
      for (end = begin;
           end == begin || (end < leaves.counts.size() && leaves.merge_levels[end] <= level); ++end)
        histogram[leaves.counts[end].set] += leaves.counts[end].count;
      for (size_t i = 0; i < num_sets; ++i)
        for (size_t j = i + 1; j < num_sets; ++j)
          out(i, j) += weight_of(level, level == num_levels ? kForever : level + 1) *
                       std::min(histogram[i], histogram[j]);
    }
  return out;
}

// A tree for the leaves before each of `ends`, and one over what they leave open.
Matrix<double> intersections_in_parts(const Leaves& leaves, size_t num_sets,
                                      std::span<const size_t> ends) {
  Matrix<double> out(num_sets, num_sets);
  const SetPairs pairs{num_sets, num_sets, true};
  const LevelsWeight weight = weight_of;
  IntersectionSums sums(pairs, out);
  BinTree whole(weight, pairs);
  size_t begin = 0;
  for (size_t end : ends) {
    BinTree part(weight, pairs);
    for (size_t k = begin; k < end; ++k)
      part.add(leaves.merge_levels[k], 0, std::span(&leaves.counts[k], 1));
    part.end_before(end < leaves.counts.size() ? leaves.merge_levels[end] : kNoNeighbour);
    sums.take(part.take_ended());
    part.hand_on(whole);
    begin = end;
  }
  whole.end_before(kNoNeighbour);
  whole.finish();
  sums.take(whole.take_ended());
  sums.finish();
  for (size_t i = 0; i < num_sets; ++i)
    std::ranges::fill(out.row(i).first(i + 1), 0.0);  // nobody reads those
  return out;
}

TEST(BinTree, PartsCutAnywhereAddUpToEveryLevelOfTheWhole) {
  constexpr size_t kSets = 20, kLeaves = 300;
  for (int num_levels : {0, 1, 3, 8})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const Leaves leaves = random_leaves(kLeaves, kSets, num_levels, Rng(seed));
      const Matrix<double> expected = naive_intersections(leaves, kSets, num_levels);
      const std::vector<size_t> uncut{kLeaves};
      EXPECT_EQ(intersections_in_parts(leaves, kSets, uncut), expected);
      Rng rng(seed);
      std::vector<size_t> ends = rng.sample(kLeaves, 1 + seed * 3);
      ends.push_back(kLeaves);
      std::ranges::sort(ends);
      EXPECT_EQ(intersections_in_parts(leaves, kSets, ends), expected)
          << num_levels << ", " << seed;
    }
}

}  // namespace
}  // namespace muster
