// Which training items decided: for kernel machines, whose scores are sums over them,
//
//   score = sum_j a_j k(X, X_j) + b.
#pragma once

#include "muster/explain/evidence.h"
#include "muster/setkernel/correspondence.h"

namespace muster {

struct DecidingItem {
  size_t item = 0;    // among the training items
  double kernel = 0;  // k(X, X_j), of several branches their sum
  // a_j (k(X, X_j) - m), m the mean kernel value with all training items: what X being more like
  // this one than the average adds to the score. The a_j of one class add up to 0 (nearly: the
  // solvers stop at a tolerance), so that m makes no difference to the sum.
  double value = 0;
};

// The `most` items of the largest magnitude of `value`, the largest first, ties in their order.
// None unless the model is one kernel machine whose scores are such sums.
std::vector<DecidingItem> deciding_items(const Ensemble& ensemble, const ItemVectors& vectors,
                                         const Question& question, size_t most,
                                         const Progress& progress);

// Which of the item's vectors (by number) the kernel pairs with those of another set. None unless
// the model has one branch and its kernel implies matches (pmk, vg-pmk, greedy, matching).
std::vector<Correspondence> matches_with(const Ensemble& ensemble, const ItemVectors& vectors,
                                         const VectorSet& other);

}  // namespace muster
