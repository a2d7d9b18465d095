// What a split's scores are worth, as the JSON that results.json keeps: measures and every
// prediction. One label an item: accuracies, and for two classes AUC and average precision.
// Several: AUC, average precision by area and by VOC's eleven points, a label and their means;
// labels marked difficult are left out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/dataset/dataset.h"

namespace muster {

// `items` of the dataset have the labels `truth`, in its numbering of classes.
nlohmann::ordered_json split_measures(const Dataset& dataset, std::span<const size_t> items,
                                      const Labels& truth, MatrixView<const double> scores,
                                      MatrixView<const double> probabilities);

// Means over splits, with deviation and interval: NAME_mean, NAME_std, NAME_interval for every
// measure that the splits have, and `labels`, the means of each label. Splits about one concept
// each (pos-neg) count as its label; their `map` is the mean over the concepts of a seed.
nlohmann::ordered_json mean_measures(const std::vector<nlohmann::ordered_json>& splits,
                                     const std::vector<std::string>& class_names);

}  // namespace muster
