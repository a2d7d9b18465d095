// What a split's scores are worth: measures and every prediction. One label per item: accuracies,
// and for two classes AUC and average precision. Several: AUC, average precision by area and by
// VOC's eleven points, per label and their means; labels marked difficult are left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/dataset/dataset.h"
#include "muster/results/results.h"

namespace muster {

// `items` of the dataset have the labels `truth`, in its numbering of classes. Fills measures,
// values per label and predictions.
SplitResult split_measures(const Dataset& dataset, std::span<const size_t> items,
                           const Labels& truth, MatrixView<const double> scores,
                           MatrixView<const double> probabilities);

// The means over splits with deviation and interval, for every measure that the splits have. Splits
// about one concept each (pos-neg) have as `map` the mean over the concepts of a seed.
Measures<MeasureSummary> mean_measures(const std::vector<SplitResult>& splits);

// The means over splits of each label that has any; a split about one concept counts as its label.
std::vector<LabelResult> mean_of_labels(const std::vector<SplitResult>& splits,
                                        const std::vector<std::string>& class_names);

}  // namespace muster
