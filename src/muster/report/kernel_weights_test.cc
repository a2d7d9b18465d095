#include "muster/report/kernel_weights.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;

Results two_branches() {
  Results results;
  MethodResult& method = results.methods.emplace_back();
  method.method = "dspm";
  method.splits.resize(3);  // the last one has no weights
  method.splits[0].kernel_shares = {{"a", 0.25, {1, 0, 0, 0, 1}}, {"b", 0.75, {3, 4}}};
  method.splits[1].kernel_shares = {{"a", 0.75, {0, 2, 0, 0, 1}}, {"b", 0.25, {3, 4}}};
  return results;
}

TEST(KernelWeights, CellsAreMeansOverSplits) {
  const std::vector<WeightMap> maps = weight_maps(two_branches());
  ASSERT_EQ(maps.size(), 1u);  // two values are not a pyramid
  EXPECT_EQ(maps[0].title, "dspm: a");
  EXPECT_THAT(maps[0].levels, ElementsAre(ElementsAre(0.5), ElementsAre(1, 0, 0, 1)));
}

TEST(KernelWeights, SharesAreOfMethodsWithSeveralBranches) {
  Results results = two_branches();
  const std::vector<BranchShareRow> rows = branch_shares(results);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].branch, "b");
  EXPECT_DOUBLE_EQ(rows[1].share, 0.5);
  for (SplitResult& split : results.methods[0].splits)
    if (!split.kernel_shares.empty()) split.kernel_shares.resize(1);
  EXPECT_TRUE(branch_shares(results).empty());
  EXPECT_EQ(weight_maps(results)[0].title, "dspm");
}

TEST(KernelWeights, MapsOfTheRecordComeFirst) {
  Results results = two_branches();
  results.weight_maps = {{"given", {{1}}}};
  EXPECT_EQ(weight_maps(results)[0].title, "given");
  EXPECT_EQ(weight_maps(results).size(), 2u);
}

}  // namespace
}  // namespace muster
