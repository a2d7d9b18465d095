// Measures of a ranking that both the choice of parameters and the evaluation need.
#pragma once

#include <span>

namespace muster {

// Area under the precision-recall steps, sum over distinct scores of (R_k - R_{k-1}) P_k, ranked by
// falling score; items of equal score enter together, so their order does not matter. Targets are
// +1, -1, or 0 for items that are left out. NaN where there is no positive. O(n log n).
double average_precision(std::span<const double> scores, std::span<const int> targets);

}  // namespace muster
