#include "muster/reproduce/studies.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Studies, ThePyramidMatchFollowsTheOptimalMatching) {
  const Results results = partial_matching_study(1, 12, {});
  ASSERT_EQ(results.comparison.size(), 6u);
  for (const size_t row : {0u, 1u, 3u, 4u})
    EXPECT_GT(results.comparison[row].ours.value(), 0.6) << row;
  EXPECT_EQ(results.curves.size(), 2u);
}

TEST(Studies, FeaturesApproximateTheKernel) {
  const Results results = kernel_approximation_study(1, {});
  ASSERT_EQ(results.comparison.size(), 4u);
  for (const ComparisonRow& row : results.comparison) EXPECT_LT(row.ours.value(), 0.35) << row.name;
  const std::vector<CurvePoint>& objective = results.curves.at(1).series.at(0).points;
  EXPECT_LT(objective.back().y, objective.front().y);
}

}  // namespace
}  // namespace muster
