#include "muster/codebook/vocabulary.h"

#include <gtest/gtest.h>

#include <numeric>

#include "oracle/expect_error.h"
#include "oracle/random_data.h"

namespace muster {
namespace {

// Three categories far apart, some vectors without a label, a category without vectors.
Sample three_categories(size_t per_category) {
  Sample sample{oracle::normal_matrix(4 * per_category, 2, Rng(1)), {}, 4};
  for (size_t i = 0; i < sample.vectors.rows(); ++i) {
    sample.labels.push_back(i % 4 == 3 ? -1 : static_cast<int>(i % 4));
    sample.vectors(i, 0) += static_cast<float>(100 * (i % 4));
  }
  return sample;
}

TEST(Vocabulary, PerCategorySharesTheWordsOut) {
  VocabularyOptions options;
  options.words = 8;
  options.per_category = true;
  const Sample sample = three_categories(200);
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

TEST(Vocabulary, JoinedMixturesAreMixturesOfTheCategories) {
  const Sample sample = three_categories(200);
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    MixtureVocabularyOptions options;
    options.components = 7;
    options.covariance = kind;
    options.per_category = true;
    const MixtureVocabulary vocabulary =
        fit_mixture_vocabulary("gmm-bow", options, sample, Rng(2), {});
    const Gmm& mixture = vocabulary.mixture;
    ASSERT_EQ(mixture.num_components(), 7u);
    EXPECT_EQ(vocabulary.objective_per_iteration.size(), 3u);
    EXPECT_NEAR(std::accumulate(mixture.weights().begin(), mixture.weights().end(), 0.0), 1, 1e-9);
    EXPECT_NEAR(mixture.weights()[0] + mixture.weights()[1] + mixture.weights()[2], 1.0 / 3, 1e-9);
  }
}

TEST(Vocabulary, FewerWordsThanCategoriesIsOneEach) {
  VocabularyOptions options;
  options.words = 2;
  options.per_category = true;
  EXPECT_EQ(fit_vocabulary("bow", options, three_categories(20), Rng(1), {}).centres.rows(), 3u);
}

TEST(Vocabulary, PerCategoryNeedsLabels) {
  Sample sample = three_categories(20);
  for (int& label : sample.labels) label = -1;
  VocabularyOptions options;
  options.per_category = true;
  EXPECT_ERROR(fit_vocabulary("bow", options, sample, Rng(1), {}), kUsage, "per_category");
}

}  // namespace
}  // namespace muster
