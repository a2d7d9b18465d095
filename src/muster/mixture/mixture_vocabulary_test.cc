#include "muster/mixture/mixture_vocabulary.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/categories.h"

namespace muster {
namespace {

TEST(MixtureVocabulary, JoinedMixturesAreMixturesOfTheCategories) {
  const Sample sample = oracle::three_categories(200);
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

}  // namespace
}  // namespace muster
