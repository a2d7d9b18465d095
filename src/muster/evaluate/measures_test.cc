#include "muster/evaluate/measures.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "oracle/measures.h"

namespace muster {
namespace {

// Scores out of few values, so that ties are common; targets +1, -1 and difficult ones.
struct Ranking {
  std::vector<double> scores;
  std::vector<int> targets;
};

Ranking random_ranking() {
  Ranking out;
  const int n = *rc::gen::inRange(0, 40);
  const int values = *rc::gen::element(1, 3, 1000);
  for (int i = 0; i < n; ++i) {
    out.scores.push_back(*rc::gen::inRange(0, values) / 4.0);
    out.targets.push_back(*rc::gen::inRange(-1, 2));
  }
  return out;
}

void assert_same(double fast, double naive) {
  if (std::isnan(naive))
    RC_ASSERT(std::isnan(fast));
  else
    RC_ASSERT(std::abs(fast - naive) < 1e-12);
}

RC_GTEST_PROP(Measures, RankingMeasuresEqualTheirDefinitions, ()) {
  const Ranking r = random_ranking();
  assert_same(roc_auc(r.scores, r.targets), oracle::roc_auc(r.scores, r.targets));
  assert_same(average_precision(r.scores, r.targets),
              oracle::average_precision(r.scores, r.targets));
  if (std::ranges::count(r.targets, 1) > 0)
    assert_same(average_precision_11_point(r.scores, r.targets),
                oracle::average_precision_11_point(r.scores, r.targets));
  else
    RC_ASSERT(std::isnan(average_precision_11_point(r.scores, r.targets)));
}

TEST(Measures, RankingsWorkedByHand) {
  const std::vector<double> scores{4, 3, 2, 1};
  const std::vector<int> targets{1, -1, 1, -1};
  EXPECT_DOUBLE_EQ(roc_auc(scores, targets), 0.75);
  EXPECT_DOUBLE_EQ(average_precision(scores, targets), (1 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(average_precision_11_point(scores, targets), (6 + 5 * 2.0 / 3) / 11);
  const std::vector<double> flat(4, 0.5);
  EXPECT_DOUBLE_EQ(roc_auc(flat, targets), 0.5);
  EXPECT_DOUBLE_EQ(average_precision(flat, targets), 0.5);
}

TEST(Measures, DifficultItemsDoNotCount) {
  const std::vector<double> scores{5, 4, 3, 2, 1};
  EXPECT_EQ(average_precision(scores, std::vector<int>{0, 1, 0, -1, 0}), 1);
  EXPECT_EQ(average_precision_11_point(scores, std::vector<int>{0, 1, 0, -1, 0}), 1);
  EXPECT_EQ(roc_auc(scores, std::vector<int>{0, 1, 0, -1, 0}), 1);
}

RC_GTEST_PROP(Measures, InferredAveragePrecisionEqualsItsDefinition, ()) {
  const int n = *rc::gen::inRange(1, 40);
  std::vector<char> ranked;
  std::vector<Judgement> judgements;
  std::vector<double> scores;
  for (int i = 0; i < n; ++i) {
    const int which = *rc::gen::inRange(0, 4);
    ranked.push_back("rnuo"[which]);
    judgements.push_back(static_cast<Judgement>(which));
    scores.push_back(-i);
  }
  assert_same(inferred_average_precision(scores, judgements),
              oracle::inferred_average_precision(ranked));
}

RC_GTEST_PROP(Measures, FullyJudgedInferredIsAveragePrecision, ()) {
  const int n = *rc::gen::inRange(1, 60);
  std::vector<double> scores;
  std::vector<int> targets;
  std::vector<Judgement> judgements;
  for (int i = 0; i < n; ++i) {
    scores.push_back(-i);
    targets.push_back(*rc::gen::element(-1, 1));
    judgements.push_back(targets.back() > 0 ? Judgement::kRelevant : Judgement::kNotRelevant);
  }
  RC_PRE(std::ranges::count(targets, 1) > 0);
  RC_ASSERT(std::abs(inferred_average_precision(scores, judgements) -
                     average_precision(scores, targets)) < 1e-4);
}

TEST(Measures, LabelsNotJudgedAreInferred) {
  // Ranked r u n r, and all judged.
  Matrix<double> scores(4, 2);
  for (size_t i = 0; i < 4; ++i) scores(i, 0) = scores(i, 1) = -static_cast<double>(i);
  Labels labels{{"a", "b"}, {{0, 1}, {1}, {}, {0}}, {{}, {0}, {}, {}}, true};
  const LabelMeasures measures = label_measures(scores, labels);
  ASSERT_EQ(measures.inferred_average_precision.size(), 2u);
  EXPECT_NEAR(measures.inferred_average_precision[0],
              oracle::inferred_average_precision({'r', 'u', 'n', 'r'}), 1e-9);
  EXPECT_NEAR(measures.inferred_average_precision[1], 1, 1e-4);
  EXPECT_NEAR(measures.average_precision[0], (1 + 2.0 / 3) / 2, 1e-9);
  labels.difficult.clear();
  EXPECT_TRUE(label_measures(scores, labels).inferred_average_precision.empty());
}

TEST(Measures, AccuraciesAndConfusion) {
  const std::vector<int> truth{0, 0, 0, 1, 2, -1}, predicted{0, 0, 1, 1, 0, 2};
  EXPECT_DOUBLE_EQ(accuracy(truth, predicted), 3.0 / 5);
  EXPECT_DOUBLE_EQ(mean_class_accuracy(truth, predicted, 4), (2.0 / 3 + 1 + 0) / 3);
  const Matrix<int> confusion = confusion_matrix(truth, predicted, 4);
  EXPECT_EQ(confusion(0, 0), 2);
  EXPECT_EQ(confusion(0, 1), 1);
  EXPECT_EQ(confusion(2, 0), 1);
  EXPECT_EQ(confusion(3, 3), 0);
  EXPECT_TRUE(std::isnan(accuracy({}, {})));
}

TEST(Measures, PredictsTheFirstAmongEquals) {
  Matrix<double> scores(2, 3);
  scores(0, 1) = scores(0, 2) = 1;
  EXPECT_EQ(predicted_classes(scores), (std::vector<int>{1, 0}));
}

TEST(Measures, LabelMeasuresLeaveDifficultOut) {
  Labels labels{{"a", "b"}, {{0}, {0, 1}, {}, {1}}, {{}, {}, {0}, {}}};
  Matrix<double> scores(4, 2);
  for (size_t i = 0; i < 4; ++i) scores(i, 0) = i == 2 ? 9 : -static_cast<double>(i);
  const LabelMeasures measures = label_measures(scores, labels);
  EXPECT_EQ(measures.auc[0], 1);
  EXPECT_EQ(measures.average_precision[0], 1);
  EXPECT_EQ(measures.auc[1], 0.5);
  EXPECT_DOUBLE_EQ(mean_of_defined(measures.average_precision), 0.75);
}

}  // namespace
}  // namespace muster
