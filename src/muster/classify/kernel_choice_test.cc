#include "muster/classify/kernel_choice.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr size_t kItems = 100;

// Right on the items of `ranges`, wrong on all others.
CvResult right_on(std::initializer_list<std::pair<size_t, size_t>> ranges) {
  CvResult out{{}, Calibration::identity(2, false), std::vector<bool>(kItems)};
  size_t count = 0;
  for (const auto& [begin, end] : ranges)
    for (size_t i = begin; i < end; ++i, ++count) out.right[i] = true;
  out.statistics.table = {{10, static_cast<double>(count) / kItems}};
  return out;
}

size_t winner(const std::vector<CvResult>& results, KernelOrder order) {
  return best_of_kernels(results.size(), order, [&](size_t g) { return results[g]; }).index;
}

TEST(KernelChoice, TheFirstOfTheBestWinsInAnyOrder) {
  const std::vector<CvResult> results = {right_on({{0, 90}}), right_on({{0, 91}}),
                                         right_on({{1, 92}})};
  EXPECT_EQ(winner(results, KernelOrder::kAny), 1u);
}

TEST(KernelChoice, ABolderKernelMustGainMoreThanOneStandardError) {
  // 5 items gained and 3 lost: 2 +- 2.8. 5 gained and none lost: 5 +- 2.2.
  EXPECT_EQ(winner({right_on({{0, 83}}), right_on({{3, 88}})}, KernelOrder::kFromCautious), 0u);
  EXPECT_EQ(winner({right_on({{0, 83}}), right_on({{0, 88}})}, KernelOrder::kFromCautious), 1u);
}

TEST(KernelChoice, TheMostCautiousOfSeveralNearTheBestWins) {
  const std::vector<CvResult> results = {right_on({{0, 60}}), right_on({{3, 85}}),
                                         right_on({{3, 87}}), right_on({{0, 85}})};
  EXPECT_EQ(winner(results, KernelOrder::kFromCautious), 2u);
}

TEST(KernelChoice, WithoutItemsToCompareTheBestWins) {
  std::vector<CvResult> results = {right_on({{0, 83}}), right_on({{3, 88}})};
  for (CvResult& result : results) result.right.clear();
  EXPECT_EQ(winner(results, KernelOrder::kFromCautious), 1u);
}

}  // namespace
}  // namespace muster
