#include "muster/baselines/knn.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/crossval/cross_validation.h"
#include "oracle/neighbours.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;

std::vector<int> classes_of(const Labels& labels) {
  std::vector<int> out;
  for (size_t i = 0; i < labels.size(); ++i) out.push_back(labels.first(i));
  return out;
}

int predicted(std::span<const double> scores) {
  return static_cast<int>(std::ranges::max_element(scores) - scores.begin());
}

std::unique_ptr<Classifier> on_gram(const KnnOptions& options, const Matrix<double>& gram,
                                    const Labels& labels) {
  GramCandidates candidates;
  candidates.gram = [&](size_t) { return gram; };
  return fit_knn_on_gram(options, candidates, labels, Rng(1)).classifier;
}

RC_GTEST_PROP(Knn, TheMajorityOfTheNaivelyNearestWins, (uint64_t seed)) {
  const int classes = 2 + static_cast<int>(seed % 4);
  const Data data = blobs(12 + seed % 30, 4, classes, 1.5, seed);
  const Data asked = blobs(20, 4, classes, 1.5, seed + 1);
  for (const bool cosine : {false, true})
    for (const double count : {1.0, 2.0, 5.0, 100.0}) {
      KnnOptions options;
      options.neighbours = count;
      options.metric = cosine ? Metric::kCosine : Metric::kEuclidean;
      const auto model = fit_knn(options, data.vectors, data.labels, Rng(1), {});
      const Matrix<double> scores = model->scores(asked.vectors);
      for (size_t i = 0; i < scores.rows(); ++i) {
        const auto order =
            oracle::ranked(oracle::distances(asked.vectors.row(i), data.vectors, cosine));
        RC_ASSERT(predicted(scores.row(i)) ==
                  oracle::majority(order, static_cast<size_t>(count), classes_of(data.labels)));
      }
    }
}

TEST(Knn, ALinearKernelGivesWhatVectorsGive) {
  const Data data = blobs(60, 5, 3, 1.2, 4);
  Matrix<double> gram(60, 60);
  for (size_t i = 0; i < 60; ++i)
    for (size_t j = 0; j < 60; ++j)
      for (size_t d = 0; d < 5; ++d)
        gram(i, j) += static_cast<double>(data.vectors(i, d)) * data.vectors(j, d);
  for (const Metric metric : {Metric::kEuclidean, Metric::kCosine}) {
    KnnOptions options;
    options.metric = metric;
    const auto a = fit_knn(options, data.vectors, data.labels, Rng(1), {});
    const auto b = on_gram(options, gram, data.labels);
    EXPECT_EQ(a->statistics()->table, b->statistics()->table);
    EXPECT_EQ(a->statistics()->C, b->statistics()->C);
    EXPECT_EQ(a->scores(data.vectors), b->scores_from_gram(gram));
  }
}

TEST(Knn, AKernelThatIsNotDefiniteIsTakenAsItIs) {
  const Data data = blobs(30, 4, 3, 0.3, 5);
  Matrix<double> gram = testing_data::rbf_gram(data, 0.1);
  for (size_t i = 0; i < 30; ++i) gram(i, i) -= 1.5;
  const auto model = on_gram({}, gram, data.labels);
  EXPECT_FALSE(model->statistics()->indefinite);
  EXPECT_GT(testing_data::accuracy(model->scores_from_gram(testing_data::rbf_gram(data, 0.1)),
                                   data.labels),
            0.9);
}

TEST(Knn, CrossValidationLooksAtOtherFoldsOnly) {
  // Every item has a twin of another class: with the twin in sight one neighbour is always wrong,
  // and with twins in one fold (a group) it never is.
  Data data = blobs(40, 6, 2, 0.2, 6);
  Matrix<float> twice(80, 6);
  Labels labels = data.labels;
  for (size_t i = 0; i < 80; ++i) std::ranges::copy(data.vectors.row(i % 40), twice.row(i).begin());
  for (size_t i = 0; i < 40; ++i) labels.of_item.push_back({1 - data.labels.first(i)});
  for (size_t i = 0; i < 80; ++i) labels.group.push_back(i % 40);
  KnnOptions options;
  options.neighbours = 1;
  const auto grouped = fit_knn(options, twice, labels, Rng(1), {});
  EXPECT_NEAR(grouped->statistics()->table[0].score, 0.5, 0.1);
  labels.group.clear();
  const auto alone = fit_knn(options, twice, labels, Rng(1), {});
  EXPECT_LT(alone->statistics()->table[0].score, 0.2);
}

TEST(Knn, ChoosesMoreNeighboursIfClassesOverlap) {
  const Data clear = blobs(120, 6, 3, 0.1, 7);
  EXPECT_EQ(fit_knn({}, clear.vectors, clear.labels, Rng(1), {})->statistics()->C, 1);
  const Data blurred = blobs(240, 6, 2, 3, 7);
  const auto model = fit_knn({}, blurred.vectors, blurred.labels, Rng(1), {});
  EXPECT_GT(model->statistics()->C, 3);
  EXPECT_EQ(model->statistics()->parameter, "neighbours");
  EXPECT_EQ(model->statistics()->folds, 10);
}

TEST(Knn, DifficultLabelsDoNotVote) {
  Data data = blobs(6, 2, 2, 0.1, 8);
  data.labels.multi_label = true;
  data.labels.difficult.resize(6);
  data.labels.difficult[0] = {0};
  KnnOptions options;
  options.neighbours = 1;
  const auto model = fit_knn(options, data.vectors, data.labels, Rng(1), {});
  const Matrix<double> scores = model->scores(data.vectors);
  EXPECT_EQ(scores(0, 0), 0);
  EXPECT_EQ(scores(2, 0), 1.5);
}

TEST(Knn, RefusesPartsOfANeighbourAndBadVectors) {
  Data data = blobs(12, 3, 2, 0.5, 9);
  KnnOptions options;
  options.neighbours = 2.5;
  EXPECT_ERROR(fit_knn(options, data.vectors, data.labels, Rng(1), {}), kUsage, "neighbours=2.5");
  data.vectors(5, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_ERROR(fit_knn({}, data.vectors, data.labels, Rng(1), {}), kData, "training item 5");
}

}  // namespace
}  // namespace muster
