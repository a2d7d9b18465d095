// Kernel and C chosen together: every Gram goes through the same cross-validation, the best wins.
#pragma once

#include <functional>
#include <vector>

#include "muster/classify/cross_validation.h"

namespace muster {

// What cross-validation found among several Grams of the same items (gammas of an rbf, say).
struct KernelChoice {
  size_t index = 0;                        // of the best Gram; the first among equals
  CvResult best;                           // its C, table and calibration
  std::vector<std::vector<CvRow>> tables;  // one a Gram; empty where C was given for a single one
};

KernelChoice best_of_kernels(size_t num_grams,
                             const std::function<CvResult(size_t gram)>& cross_validate);

}  // namespace muster
