#include "muster/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace muster {
namespace {

TEST(Rng, SameSeedSameStream) {
  Rng a(7), b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Rng, DerivingDoesNotAdvanceAndStreamsDiffer) {
  Rng a(7), b(7);
  Rng child = a.derive("codebook");
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(child.next(), Rng(7).derive("split").next());
  EXPECT_NE(Rng(7).derive(uint64_t{0}).next(), Rng(7).derive(uint64_t{1}).next());
  EXPECT_EQ(Rng(7).derive("a").derive(uint64_t{3}).next(),
            Rng(7).derive("a").derive(uint64_t{3}).next());
}

TEST(Rng, MomentsOfUniformAndNormal) {
  Rng rng(1);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    const double z = rng.normal();
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.01);
  EXPECT_NEAR(normal_squares / kDraws, 1, 0.02);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  for (int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Rng, SampleIsDistinctSortedAndComplete) {
  Rng rng(5);
  for (size_t count : {0, 1, 5, 99, 100, 200}) {
    const auto chosen = rng.sample(100, count);
    EXPECT_EQ(chosen.size(), std::min<size_t>(count, 100));
    EXPECT_TRUE(std::ranges::is_sorted(chosen));
    EXPECT_EQ(std::set<size_t>(chosen.begin(), chosen.end()).size(), chosen.size());
    EXPECT_TRUE(chosen.empty() || chosen.back() < 100);
  }
}

TEST(Rng, ShufflePermutes) {
  std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};
  const auto before = values;
  Rng rng(9);
  rng.shuffle(std::span(values));
  EXPECT_NE(values, before);
  std::ranges::sort(values);
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace muster
