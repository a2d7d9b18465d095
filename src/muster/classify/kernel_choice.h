// Kernel and C chosen together: every Gram goes through the same cross-validation, the best wins. A
// kernel that the labels shaped is shaped anew in each fold without the held-out items, which would
// otherwise be known to it.
#pragma once

#include <functional>
#include <vector>

#include "muster/classify/cross_validation.h"

namespace muster {

// The Gram of all items by a candidate that knows nothing of the labels of the held-out ones. Empty
// where candidates know no labels. Called from several threads at once.
using GramOfFold = std::function<Matrix<double>(size_t candidate, std::span<const size_t> held_out)>;

// What cross-validation found among several Grams of the same items (gammas of an rbf, say).
struct KernelChoice {
  size_t index = 0;                        // of the best Gram; the first among equals
  CvResult best;                           // its C, table and calibration
  std::vector<std::vector<CvRow>> tables;  // one a Gram; empty where C was given for a single one
};

KernelChoice best_of_kernels(size_t num_grams,
                             const std::function<CvResult(size_t gram)>& cross_validate);

}  // namespace muster
