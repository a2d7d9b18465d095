#include "muster/report/rank_curves.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

MethodResult scored_method(std::vector<std::pair<double, bool>> items) {
  MethodResult method;
  method.splits.resize(1);
  for (const auto& [score, positive] : items)
    method.splits[0].scored.push_back(
        {"", positive ? std::vector{0} : std::vector<int>{}, {}, {score}});
  return method;
}

TEST(RankCurves, PerfectRankingReachesTheCorner) {
  const ClassCurves curves =
      rank_curves(scored_method({{4, true}, {3, true}, {2, false}, {1, false}}), 1)[0];
  for (const double value : curves.true_positive_rate) EXPECT_EQ(value, 1);
  for (const double value : curves.precision) EXPECT_EQ(value, 1);
  EXPECT_EQ(curves.auc, 1);
  EXPECT_EQ(curves.num_splits, 1u);
}

TEST(RankCurves, EqualScoresLieOnTheDiagonal) {
  const ClassCurves curves =
      rank_curves(scored_method({{1, true}, {1, false}, {1, true}, {1, false}}), 1)[0];
  for (size_t g = 0; g < kRankGrid; ++g) {
    EXPECT_NEAR(curves.true_positive_rate[g], g / 50.0, 1e-12);
    EXPECT_NEAR(curves.precision[g], 0.5, 1e-12);
  }
  EXPECT_NEAR(curves.auc, 0.5, 1e-12);
}

TEST(RankCurves, ALabelMarkedDifficultCountsNeitherForNorAgainst) {
  MethodResult method = scored_method({{4, true}, {3, false}, {2, true}, {1, false}});
  method.splits[0].scored[1].difficult = {0};
  EXPECT_EQ(rank_curves(method, 1)[0].auc, 1);
  EXPECT_EQ(rank_curves(method, 1)[0].average_precision, 1);
}

TEST(RankCurves, HandCheckedSteps) {
  // + - + -: half of the positives before any negative, all after one of two.
  const ClassCurves curves =
      rank_curves(scored_method({{4, true}, {3, false}, {2, true}, {1, false}}), 1)[0];
  EXPECT_NEAR(curves.true_positive_rate[0], 0.5, 1e-12);
  EXPECT_NEAR(curves.true_positive_rate[24], 0.5, 1e-12);
  EXPECT_NEAR(curves.true_positive_rate[25], 1, 1e-12);
  EXPECT_NEAR(curves.precision[25], 1, 1e-12);
  EXPECT_NEAR(curves.precision[26], 2.0 / 3, 1e-12);
  EXPECT_NEAR(curves.auc, 0.75, 1e-12);
}

TEST(RankCurves, AClassWithoutItemsIsLeftOut) {
  const auto curves = rank_curves(scored_method({{1, false}, {2, false}}), 1);
  EXPECT_EQ(curves[0].num_splits, 0u);
}

TEST(RankCurves, TwoClassesAreRankedByConfidence) {
  MethodResult method;
  method.splits.resize(1);
  method.splits[0].predictions = {
      {"a", 1, 1, 0.9}, {"b", 0, 1, 0.6}, {"c", 1, 0, 0.7}, {"d", 0, 0, 0.8}};
  const auto curves = rank_curves(method, 2);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_NEAR(curves[1].auc, 0.75, 1e-12);
  EXPECT_NEAR(curves[0].auc, 0.75, 1e-12);
  EXPECT_TRUE(rank_curves(method, 3).empty());
}

}  // namespace
}  // namespace muster
