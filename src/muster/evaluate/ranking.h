// Measures of a ranking that more than one folder needs.
#pragma once

#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"

namespace muster {

// Area under the precision-recall steps, sum over distinct scores of (R_k - R_{k-1}) P_k, ranked by
// falling score; items of equal score enter together, so their order does not matter. Targets are
// +1, -1, or 0 for items that are left out. NaN if there is no positive. O(n log n).
double average_precision(std::span<const double> scores, std::span<const int> targets);
// The mean over the labels that have a positive item; 0 if none has. A row of scores per item.
double mean_average_precision(MatrixView<const double> scores, const Labels& labels);

// 101 quantiles of the values, rising; none without values.
std::vector<double> quantiles(std::vector<double> values);
// The share of the values behind such quantiles that lie below `value`, by linear interpolation.
// Requires at least two quantiles, rising.
double share_below(std::span<const double> quantiles, double value);

}  // namespace muster
