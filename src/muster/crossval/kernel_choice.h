// Kernel and C chosen together: every Gram goes through the same cross-validation, the best wins. A
// kernel that the labels shaped is shaped again in each fold without the held-out items, which
// would otherwise be known to it.
#pragma once

#include <functional>
#include <vector>

#include "muster/crossval/cross_validation.h"

namespace muster {

// The Gram of all items by a candidate that knows nothing of the labels of the held-out ones. Empty
// if candidates know no labels. Called from several threads at once.
using GramOfFold =
    std::function<Matrix<double>(size_t candidate, std::span<const size_t> held_out)>;

// What cross-validation found among several Grams of the same items (gammas of an rbf, say).
struct KernelChoice {
  size_t index = 0;  // of the best Gram; the first among equals
  CvResult best;     // its C, table and calibration
  // One per Gram; empty for those not tried, and if C was given for a single one.
  std::vector<std::vector<CvRow>> tables;
};

// All of them; or, of Grams in the order of a parameter over which accuracy has one peak, the
// middle ones and then those on the side that rises, as long as it does.
enum class KernelSearch { kAll, kClimb };

KernelChoice best_of_kernels(size_t num_grams, KernelSearch search,
                             const std::function<CvResult(size_t gram)>& cross_validate);

// Climbing for widths of a kernel (candidates that know no labels) on many items. With few,
// accuracy goes up and down by chance, and trying all of them takes no time.
KernelSearch kernel_search(const GramOfFold& gram_of_fold, size_t num_items);

}  // namespace muster
