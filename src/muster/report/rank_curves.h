// ROC and precision-recall curves of a method, class by class, on one grid of 51 points.
#pragma once

#include <array>
#include <vector>

#include "muster/results/results.h"

namespace muster {

inline constexpr size_t kRankGrid = 51;
// At 0, 0.02, ..., 1 of the false positive rate or of the recall.
using RankCurve = std::array<double, kRankGrid>;

struct ClassCurves {
  RankCurve true_positive_rate{};  // the mean over splits
  RankCurve precision{};           // the best at that recall or beyond, the mean over splits
  double auc = 0, average_precision = 0;
  size_t num_splits = 0;  // with items both of the class and not; 0: all of the above are 0
};

// One per class. Multi-label data gives its scores; of two classes the confidence stands for them,
// since it ranks items the same way. Empty for everything else.
std::vector<ClassCurves> rank_curves(const MethodResult& method, size_t num_classes);

}  // namespace muster
