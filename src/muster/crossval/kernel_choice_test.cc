#include "muster/crossval/kernel_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

// Candidates whose accuracy has one peak are climbed to it from the middle.
TEST(KernelChoice, ClimbingFindsThePeakAndTriesFewer) {
  constexpr size_t kCount = 6;
  for (const KernelSearch search : {KernelSearch::kAll, KernelSearch::kClimb}) {
    for (size_t peak = 0; peak < kCount; ++peak) {
      size_t tried = 0;
      const KernelChoice choice = best_of_kernels(kCount, search, [&](size_t g) {
        ++tried;
        CvResult result{{}, Calibration::identity(2, false)};
        result.statistics.iterations = 1;
        const double distance = std::abs(static_cast<double>(g) - static_cast<double>(peak));
        result.statistics.table = {{1, 0.5}, {10, 0.9 - 0.01 * distance}};
        return result;
      });
      EXPECT_EQ(choice.index, peak);
      EXPECT_EQ(choice.best.statistics.iterations, static_cast<int64_t>(tried));
      ASSERT_EQ(choice.tables.size(), kCount);
      EXPECT_FALSE(choice.tables[peak].empty());
      EXPECT_EQ(static_cast<size_t>(
                    std::ranges::count_if(choice.tables, [](const auto& t) { return !t.empty(); })),
                tried);
      if (search == KernelSearch::kAll)
        EXPECT_EQ(tried, kCount);
      else
        EXPECT_LT(tried, kCount);
    }
    const KernelChoice equals = best_of_kernels(3, search, [&](size_t) {
      CvResult result{{}, Calibration::identity(2, false)};
      result.statistics.table = {{1, 0.5}};
      return result;
    });
    EXPECT_EQ(equals.index, 0u);
  }
}

TEST(KernelChoice, OnlyWidthsOfManyItemsAreClimbed) {
  EXPECT_EQ(kernel_search({}, 100), KernelSearch::kAll);
  EXPECT_EQ(kernel_search({}, 5000), KernelSearch::kClimb);
  const GramOfFold of_fold = [](size_t, std::span<const size_t>) { return Matrix<double>(); };
  EXPECT_EQ(kernel_search(of_fold, 5000), KernelSearch::kAll);
}

}  // namespace
}  // namespace muster
