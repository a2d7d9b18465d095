#include "muster/explain/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/trained.h"

namespace muster {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Evidence explain(const Ensemble& ensemble, const ItemVectors& vectors, Question question = {},
                 EvidenceOptions options = {}) {
  return find_evidence(ensemble, vectors, question, options, {});
}

// The score of some of the item's vectors, by the model itself.
double score_of(const Ensemble& ensemble, const ItemVectors& vectors, const Kept& kept,
                size_t class_index) {
  const KeptVectorsSource source(vectors, {&kept, 1});
  return ensemble.predict(source, all_items_of(source), {}).scores(0, class_index);
}

double score_of_one(const Ensemble& ensemble, const ItemVectors& vectors, size_t vector,
                    size_t class_index) {
  Kept kept(vectors.size(), false);
  kept[vector] = true;
  return score_of(ensemble, vectors, kept, class_index);
}

double score_without(const Ensemble& ensemble, const ItemVectors& vectors, size_t vector,
                     size_t class_index) {
  Kept kept(vectors.size(), true);
  kept[vector] = false;
  return score_of(ensemble, vectors, kept, class_index);
}

constexpr const char* kExactRecipes[] = {
    "bow:words=10/linear-svm:C=10",
    "bow:words=10,vocabulary=forest,trees=3/linear-svm:C=10",
    "bow:words=10/standardise/logistic:C=1",
    "kernel-codebook:words=10/linear-svm:C=10",
    "emk-fourier:dim=40/linear-svm:C=10",
    "emk-cksvd:dim=10,power=1/linear-svm:C=10",
    "emk-kpca:dim=10/linear-svm:C=10",
    "gmm-bow:components=5/linear-svm:C=10",
    "vlad:words=4,intra=false,power=1,l2=false/linear-svm:C=10",
    "fisher:components=3,power=1,l2=false/linear-svm:C=10",
    "bow:words=10/kernel-svm:C=10",
    "bow:words=10/linear/kernel-svm:C=10,loss=hinge",
    "bow:words=10+fisher:components=3,power=1,l2=false//linear-svm:C=10",
    "bow:words=10+vlad:words=4,intra=false,power=1,l2=false//kernel-svm:C=10"};

// The score of an average is the average of the scores: each vector by itself, by the model.
TEST(Evidence, OfAnAdditiveModelIsWhatEachVectorWouldScoreAlone) {
  const LabelledSets sets(30);
  const InputSource source{Inputs(sets.views)};
  for (const char* recipe : kExactRecipes) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    for (const size_t item : {0u, 4u, 11u}) {
      const ItemVectors vectors(ensemble, source, item);
      for (const size_t c : {0u, 2u}) {
        const Evidence evidence = explain(ensemble, vectors, {c, {}});
        ASSERT_EQ(evidence.by, EvidenceBy::kExact);
        ASSERT_EQ(evidence.values.size(), sets.data[item].rows());
        EXPECT_NEAR(sum_of(evidence.values), evidence.score, 1e-4);
        EXPECT_EQ(evidence.rest, 0);
        const auto n = static_cast<double>(vectors.size());
        for (size_t i = 0; i < vectors.size(); ++i)
          ASSERT_NEAR(n * evidence.values[i], score_of_one(ensemble, vectors, i, c), 1e-4) << i;
      }
    }
  }
}

// In double precision from the model's arrays, by nothing of ours but their names.
TEST(Evidence, OfABagOfWordsIsTheNearestWordsWeight) {
  const LabelledSets sets(30);
  const Ensemble ensemble = fit_ensemble("bow:words=10/linear-svm:C=10", sets.views, sets.labels);
  TensorMap map;
  ensemble.members()[0].save(TensorWriter(map));
  const TensorReader in(map);
  const Matrix<float> words = in.matrix<float>("branch.0.feature.words");
  const Matrix<float> weights = in.matrix<float>("classifier.weights");
  const std::vector<double> offsets = in.values<double>("classifier.offsets");
  const InputSource source{Inputs(sets.views)};
  for (size_t item = 0; item < 10; ++item) {
    const ItemVectors vectors(ensemble, source, item);
    const Matrix<float>& set = sets.data[item];
    for (size_t c = 0; c < 3; ++c) {
      const Evidence evidence = explain(ensemble, vectors, {c, {}});
      double total = 0;
      for (size_t i = 0; i < set.rows(); ++i) {
        size_t nearest = 0;
        double least = HUGE_VAL;
        for (size_t w = 0; w < words.rows(); ++w) {
          double distance = 0;
          for (size_t t = 0; t < set.cols(); ++t)
            distance += std::pow(static_cast<double>(set(i, t)) - words(w, t), 2);
          if (distance < least) {
            least = distance;
            nearest = w;
          }
        }
        const double own = (weights(c, nearest) + offsets[c]) / static_cast<double>(set.rows());
        ASSERT_NEAR(evidence.values[i], own, 1e-6);
        total += own;
      }
      EXPECT_NEAR(evidence.score, total, 1e-4);
    }
  }
}

TEST(Evidence, OfASpatialPyramidAddsUp) {
  const SynthPictures pictures(3, 6, 64, 48, 3);
  const InputSource source{Inputs(pictures.views)};
  for (const char* recipe : {"dsift/bow:words=10,levels=2/linear-svm:C=10",
                             "dsift/bow:words=10,levels=1,cells=average/linear-svm:C=10",
                             "dsift/pca:dim=8/fisher:components=3,levels=1,power=1,l2=false/"
                             "linear-svm:C=10"}) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, pictures.views, pictures.labels);
    const ItemVectors vectors(ensemble, source, 1);
    const Evidence evidence = explain(ensemble, vectors, {1, {}});
    EXPECT_EQ(evidence.by, EvidenceBy::kExact);
    EXPECT_NEAR(sum_of(evidence.values), evidence.score, 1e-4);
    EXPECT_GT(evidence.values.size(), 20u);
  }
}

TEST(Evidence, ToFirstOrderAddsUpAndTellsWhatRemovingDoes) {
  const LabelledSets sets(30, 3, 5, 60);
  const InputSource source{Inputs(sets.views)};
  const auto large = static_cast<size_t>(
      std::ranges::max_element(sets.data, {}, &Matrix<float>::rows) - sets.data.begin());
  ASSERT_GT(sets.data[large].rows(), 40u);
  for (const char* recipe :
       {"fisher:components=3/linear-svm:C=10", "vlad:words=4/linear-svm:C=10",
        "supervector:components=3/linear-svm:C=10", "bow:words=10/rbf/kernel-svm:C=10",
        "bow:words=10/chi2/kernel-svm:C=10", "bow:words=10,l2=true/linear-svm:C=10",
        "pmk:pyramids=3/kernel-svm:C=10"}) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    const ItemVectors vectors(ensemble, source, large);
    const Evidence evidence = explain(ensemble, vectors);
    EXPECT_EQ(evidence.by, EvidenceBy::kFirstOrder);
    EXPECT_NEAR(sum_of(evidence.values), evidence.score, 1e-4);
    // What the score loses with a vector goes with its evidence.
    double sum_x = 0, sum_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < vectors.size(); ++i) {
      const double x = evidence.values[i],
                   y = evidence.score - score_without(ensemble, vectors, i, 0);
      sum_x += x;
      sum_y += y;
      xx += x * x;
      yy += y * y;
      xy += x * y;
    }
    const auto n = static_cast<double>(vectors.size());
    const double correlation =
        (xy - sum_x * sum_y / n) / std::sqrt((xx - sum_x * sum_x / n) * (yy - sum_y * sum_y / n));
    EXPECT_GT(correlation, 0.9);
  }
}

// Small sets: every vector is left out by itself.
TEST(Evidence, OfOtherModelsIsWhatTheScoreLosesWithTheVector) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  for (const char* recipe :
       {"vg-pmk/kernel-svm:C=10", "sum-match:gamma=1/kernel-svm:C=10",
        "bow:words=10/rbf/normalise/kernel-svm:C=10", "pdf-bhattacharyya/kernel-svm:C=10",
        "bow:words=10/linear-svm:C=10,scheme=one-vs-one"}) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    const ItemVectors vectors(ensemble, source, 5);
    const Evidence evidence = explain(ensemble, vectors, {2, {}});
    ASSERT_EQ(evidence.by, EvidenceBy::kLeavingOut);
    EXPECT_NEAR(sum_of(evidence.values) + evidence.rest, evidence.score, 1e-9);
    for (size_t i = 0; i < vectors.size(); ++i)
      ASSERT_NEAR(evidence.values[i], evidence.score - score_without(ensemble, vectors, i, 2),
                  1e-6);
  }
}

TEST(Evidence, AgainstAnotherClassIsTheDifference) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  for (const char* recipe : {"bow:words=10/linear-svm:C=10", "pmk/kernel-svm:C=10"}) {
    SCOPED_TRACE(recipe);
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    const ItemVectors vectors(ensemble, source, 1);
    const Evidence both = explain(ensemble, vectors, {1, 2}),
                   one = explain(ensemble, vectors, {1, {}}),
                   other = explain(ensemble, vectors, {2, {}});
    EXPECT_NEAR(both.score, one.score - other.score, 1e-9);
    for (size_t i = 0; i < vectors.size(); ++i)
      EXPECT_NEAR(both.values[i], one.values[i] - other.values[i], 1e-9);
  }
}

TEST(Evidence, OfTwoClassesIsTheOneWithTheOtherSign) {
  const LabelledSets sets(20, 2);
  const InputSource source{Inputs(sets.views)};
  const Ensemble ensemble = fit_ensemble("bow:words=10/linear-svm:C=10", sets.views, sets.labels);
  const ItemVectors vectors(ensemble, source, 3);
  const Evidence first = explain(ensemble, vectors, {0, {}}),
                 second = explain(ensemble, vectors, {1, {}});
  for (size_t i = 0; i < vectors.size(); ++i) EXPECT_EQ(first.values[i], -second.values[i]);
}

TEST(Evidence, OfAFusedModelIsOfItsProbability) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  const Ensemble a = fit_ensemble("bow:words=10/linear-svm:C=10", sets.views, sets.labels);
  const Ensemble b = fit_ensemble("pmk/kernel-svm:C=10", sets.views, sets.labels);
  const Ensemble fused = Ensemble::fuse({a.members()[0], b.members()[0]}, {1, 3}, {"a", "b"});
  const ItemVectors vectors(fused, source, 2);
  EXPECT_EQ(vectors.num_features(), 1u);
  const Evidence evidence = explain(fused, vectors, {2, {}});
  EXPECT_EQ(evidence.by, EvidenceBy::kLeavingOut);
  EXPECT_EQ(evidence.score, fused.predict(source, std::vector<size_t>{2}, {}).probabilities(0, 2));
}

TEST(Evidence, OfAnEmptySetIsNoneAndAllIsRest) {
  const LabelledSets sets(24);
  const SetView empty{.vectors = nullptr, .rows = 0, .dim = 5};
  const InputSource source{Inputs(std::span(&empty, 1))};
  for (const char* recipe : {"bow:words=10/linear-svm:C=10", "pmk/kernel-svm:C=10"}) {
    const Ensemble ensemble = fit_ensemble(recipe, sets.views, sets.labels);
    const Evidence evidence = explain(ensemble, ItemVectors(ensemble, source, 0));
    EXPECT_TRUE(evidence.values.empty());
    EXPECT_EQ(evidence.rest, evidence.score);
  }
}

}  // namespace
}  // namespace muster
