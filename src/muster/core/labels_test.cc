#include "muster/core/labels.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Labels, TargetsOfSingleMultiAndDifficult) {
  const Labels labels{{"a", "b", "c"}, {{0}, {0, 2}, {}}, {{}, {1}, {}}};
  EXPECT_FALSE(labels.single_label());
  EXPECT_EQ(labels.target(0, 0), 1);
  EXPECT_EQ(labels.target(0, 1), -1);
  EXPECT_EQ(labels.target(1, 2), 1);
  EXPECT_EQ(labels.target(1, 1), 0);
  EXPECT_EQ(labels.first(2), -1);
}

TEST(Labels, SelectKeepsOrderAndDifficult) {
  const Labels labels{{"a", "b"}, {{0}, {1}, {0}}, {{1}, {}, {}}};
  const std::vector<size_t> items{2, 0};
  const Labels chosen = labels.select(items);
  EXPECT_TRUE(chosen.single_label());
  EXPECT_EQ(chosen.of_item, (std::vector<std::vector<int>>{{0}, {0}}));
  EXPECT_EQ(chosen.target(1, 1), 0);
}

// A training half without a single item of two labels must not become another kind of problem.
TEST(Labels, APartOfMultiLabelDataStaysMultiLabel) {
  const Labels labels{{"a", "b"}, {{0}, {1}, {0, 1}}, {}};
  const std::vector<size_t> items{0, 1};
  EXPECT_FALSE(labels.select(items).single_label());
  EXPECT_FALSE(labels.select(items).select(std::vector<size_t>{0}).single_label());
}

}  // namespace
}  // namespace muster
