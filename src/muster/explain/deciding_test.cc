#include "muster/explain/deciding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/trained.h"

namespace muster {
namespace {

TEST(Deciding, ItemsAddUpToTheScore) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  for (const char* recipe : {"pmk/kernel-svm:C=10", "pmk/kernel-svm:C=10,loss=hinge",
                             "bow:words=10/rbf/klr:C=1", "pmk+bow:words=5//kernel-svm:C=10"}) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    const ItemVectors vectors(ensemble, source, 4);
    const Question question{1, {}};
    const std::vector<DecidingItem> items = deciding_items(ensemble, vectors, question, 100, {});
    ASSERT_EQ(items.size(), 24u);
    const auto linear = ensemble.members()[0].classifier().linear_score(1);
    ASSERT_TRUE(linear);
    double sum = linear->offset, of_weights = 0, mean = 0;
    for (const DecidingItem& one : items) mean += one.kernel / 24;
    for (size_t i = 0; i < items.size(); ++i) {
      sum += items[i].value;
      of_weights += linear->weights[items[i].item];
      EXPECT_LE(std::abs(items[i].value), std::abs(items[i == 0 ? 0 : i - 1].value));
    }
    EXPECT_NEAR(sum + mean * of_weights,
                ensemble.predict(source, std::vector<size_t>{4}, {}).scores(0, 1), 1e-9);
    EXPECT_LT(std::abs(mean * of_weights), 0.05) << "the weights of a class add up to about 0";
  }
}

TEST(Deciding, ATrainingItemIsMostLikeItself) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  const Ensemble ensemble = fit_ensemble("pmk/kernel-svm:C=10", sets.views, sets.labels);
  const ItemVectors vectors(ensemble, source, 7);
  const auto items = deciding_items(ensemble, vectors, {1, {}}, 100, {});
  EXPECT_EQ(std::ranges::max(items, {}, &DecidingItem::kernel).item, 7u);
  EXPECT_EQ(deciding_items(ensemble, vectors, {1, {}}, 3, {}).size(), 3u);
}

TEST(Deciding, OnlyKernelMachinesHaveThem) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  const Ensemble linear = fit_ensemble("bow:words=5/linear-svm:C=10", sets.views, sets.labels);
  const ItemVectors vectors(linear, source, 0);
  EXPECT_TRUE(deciding_items(linear, vectors, {}, 3, {}).empty());
  EXPECT_TRUE(matches_with(linear, vectors, vectors.set(0)).empty());
}

TEST(Deciding, MatchesOfAPyramidMatchPairEveryVector) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  const Ensemble ensemble = fit_ensemble("pmk/kernel-svm:C=10", sets.views, sets.labels);
  const ItemVectors vectors(ensemble, source, 0), other(ensemble, source, 3);
  EXPECT_EQ(matches_with(ensemble, vectors, other.set(0)).size(),
            std::min(vectors.size(), other.size()));
}

}  // namespace
}  // namespace muster
