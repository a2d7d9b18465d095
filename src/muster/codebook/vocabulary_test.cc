#include "muster/codebook/vocabulary.h"

#include <gtest/gtest.h>

#include "support/categories.h"
#include "support/expect_error.h"

namespace muster {
namespace {

TEST(Vocabulary, PerCategorySharesTheWordsOut) {
  VocabularyOptions options;
  options.words = 8;
  options.per_category = true;
  const Sample sample = oracle::three_categories(200);
  const KMeans model = fit_vocabulary("bow", options, sample, Rng(2), {});
  ASSERT_EQ(model.centres.rows(), 8u);
  EXPECT_EQ(model.half_norms.size(), 8u);
  int near[4] = {};
  for (size_t j = 0; j < 8; ++j) ++near[static_cast<size_t>((model.centres(j, 0) + 50) / 100)];
  EXPECT_EQ(near[0], 3);
  EXPECT_EQ(near[1], 3);
  EXPECT_EQ(near[2], 2);
  EXPECT_EQ(near[3], 0);
  EXPECT_LT(model.error_per_iteration.back(), 2);
}

TEST(Vocabulary, FewerWordsThanCategoriesIsOneEach) {
  VocabularyOptions options;
  options.words = 2;
  options.per_category = true;
  EXPECT_EQ(fit_vocabulary("bow", options, oracle::three_categories(20), Rng(1), {}).centres.rows(),
            3u);
}

TEST(Vocabulary, PerCategoryNeedsLabels) {
  Sample sample = oracle::three_categories(20);
  for (int& label : sample.labels) label = -1;
  VocabularyOptions options;
  options.per_category = true;
  EXPECT_ERROR(fit_vocabulary("bow", options, sample, Rng(1), {}), kUsage, "per_category");
}

}  // namespace
}  // namespace muster
