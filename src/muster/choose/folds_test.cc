#include "muster/choose/folds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace muster {
namespace {

Labels labels_of(const std::vector<int>& classes, int num_classes) {
  Labels out;
  for (int k = 0; k < num_classes; ++k) out.class_names.push_back("class" + std::to_string(k));
  for (const int label : classes) out.of_item.push_back({label});
  return out;
}

TEST(Folds, EveryItemIsHeldOutOnceAndNeverTrainedOnMeanwhile) {
  const Labels labels = labels_of({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1}, 3);
  const std::vector<FoldItems> folds = divide(labels, 3, Rng(4));
  ASSERT_EQ(folds.size(), 3u);
  std::vector<int> times(labels.size());
  for (const FoldItems& fold : folds) {
    EXPECT_EQ(fold.train.size() + fold.held_out.size(), labels.size());
    for (const size_t i : fold.held_out) {
      ++times[i];
      EXPECT_FALSE(std::ranges::binary_search(fold.train, i));
    }
  }
  EXPECT_THAT(times, ::testing::Each(1));
}

TEST(Folds, AFoldThatLeavesOneClassToLearnFromIsLeftOut) {
  const Labels labels = labels_of({0, 0, 0, 0, 1}, 2);
  const std::vector<FoldItems> folds = divide(labels, 2, Rng(1));
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_TRUE(std::ranges::binary_search(folds[0].train, size_t{4}));
}

TEST(Folds, SomeOfEachKeepsTheSharesAndAtLeastTwo) {
  std::vector<int> classes(1000, 0);
  std::fill(classes.begin() + 500, classes.begin() + 900, 1);
  std::fill(classes.begin() + 990, classes.end(), 2);
  const Labels labels = labels_of(classes, 3);
  const std::vector<size_t> some = some_of_each(labels, 100, Rng(3));
  std::map<int, int> counts;
  for (const size_t i : some) ++counts[labels.first(i)];
  EXPECT_EQ(counts[0], 59);
  EXPECT_EQ(counts[1], 40);
  EXPECT_EQ(counts[2], 2);
  EXPECT_TRUE(std::ranges::is_sorted(some));
  EXPECT_EQ(some_of_each(labels, 1000, Rng(3)).size(), 1000u);
  EXPECT_EQ(some, some_of_each(labels, 100, Rng(3)));
}

}  // namespace
}  // namespace muster
