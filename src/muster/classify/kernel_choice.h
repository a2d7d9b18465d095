// Kernel and C chosen together: every Gram goes through the same cross-validation, the best wins.
// Where Grams come from the most cautious to the boldest (weights held firmly near those given, then
// less and less), the first that is within one standard error of the best wins: few items choose
// between near equals by chance, and a bold kernel had the labels of all of them to adapt to.
#pragma once

#include <functional>
#include <vector>

#include "muster/classify/cross_validation.h"

namespace muster {

enum class KernelOrder { kAny, kFromCautious };

// What cross-validation found among several Grams of the same items (gammas of an rbf, say).
struct KernelChoice {
  size_t index = 0;                        // of the Gram that wins; the first among equals
  CvResult best;                           // its C, table and calibration
  std::vector<std::vector<CvRow>> tables;  // one a Gram; empty where C was given for a single one
};

// The standard error is that of the difference, item by item; multi-label data, which are scored as a
// whole, have none.
KernelChoice best_of_kernels(size_t num_grams, KernelOrder order,
                             const std::function<CvResult(size_t gram)>& cross_validate);

}  // namespace muster
