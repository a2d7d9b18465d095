// How good are predictions? Single rankings first, then whole tables of scores. All
// are pure functions; a measure that the data leave undefined is NaN. Ranking measures do not
// depend on the order of items of equal score.
#pragma once

#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/evaluate/ranking.h"  // average_precision: area under the precision-recall steps

namespace muster {

// Targets: +1 positive, -1 negative, 0 left out (VOC's "difficult").

// The chance that a positive scores above a negative, ties counting one half. NaN if either side
// is empty. O(n log n).
double roc_auc(std::span<const double> scores, std::span<const int> targets);
// VOC 2007: mean over recalls 0, 0.1, ..., 1 of the best precision at that recall or beyond.
double average_precision_11_point(std::span<const double> scores, std::span<const int> targets);

enum class Judgement { kRelevant, kNotRelevant, kUnjudged, kOutsidePool };

// Estimates average precision from a judged random sample of a pool (Yilmaz and Aslam, Estimating
// average precision with incomplete and imperfect judgments, CIKM 2006, section 3.3): the mean over
// judged relevant items, at rank k, of
//   1/k + (k-1)/k * (pooled above / (k-1)) * (relevant above + e) / (judged above + 2 e)
// with e = 1e-5, "pooled" being every item but kOutsidePool. Fully judged it is average precision,
// but for e and ties, which are ranked in the order given. NaN if no item is judged relevant.
double inferred_average_precision(std::span<const double> scores,
                                  std::span<const Judgement> judgements);

// n x classes scores -> the class of the largest in each row, the first among equals.
std::vector<int> predicted_classes(MatrixView<const double> scores);

// truth and predicted: one class per item; items of class -1 in truth are left out.
double accuracy(std::span<const int> truth, std::span<const int> predicted);
// Mean of the classes' own accuracies, over classes that occur in truth.
double mean_class_accuracy(std::span<const int> truth, std::span<const int> predicted,
                           int num_classes);
// Row: true class, column: predicted class.
Matrix<int> confusion_matrix(std::span<const int> truth, std::span<const int> predicted,
                             int num_classes);
// The first label of each item.
std::vector<int> true_classes(const Labels& labels);

// One value per label, in the order of the classes, each from its column of scores.
struct LabelMeasures {
  std::vector<double> auc;
  std::vector<double> average_precision;
  std::vector<double> average_precision_11_point;
  // The labels marked difficult being those that nobody has judged. Empty if none is marked.
  std::vector<double> inferred_average_precision;
};
LabelMeasures label_measures(MatrixView<const double> scores, const Labels& labels);

// Mean of the values that are defined; NaN if none is. Of average precisions: mean AP.
double mean_of_defined(std::span<const double> values);

}  // namespace muster
