// What weight learning needs to know of many kernels, gathered in one pass over their tiles: their
// products with one another and with the similarity of the labels.
#pragma once

#include <vector>

#include "muster/core/labels.h"
#include "muster/kernelweights/kernel_weights.h"

namespace muster {

// The similarity Y of the labels (DSPM 3.2), and how much an item counts.
class LabelSimilarity {
 public:
  // balance: items of rare classes count more, so that every class counts the same in total.
  // overlap: items with several labels are similar by the cosine of their label vectors, not just 1
  // if they share one.
  LabelSimilarity(const Labels& labels, bool balance, bool overlap);

  double operator()(size_t p, size_t q) const;
  // Sum to the number of items; all 1 unless balanced.
  const std::vector<double>& item_weights() const { return item_weights_; }
  bool balanced() const { return balanced_; }

 private:
  const Labels& labels_;
  bool balanced_, overlap_;
  std::vector<double> item_weights_;
};

struct KernelMoments {
  // (J + 1) x (J + 1): <K_i, K_j> = sum_pq v_p v_q K_i(p, q) K_j(p, q) with the item weights v; Y
  // comes last.
  Matrix<double> products;
  std::vector<double> largest;  // max |K_j|
  Matrix<double> diagonals;     // J x n

  size_t num_kernels() const { return largest.size(); }
};

// centre: of H K H instead of K, where H takes the (weighted) mean away on both sides.
KernelMoments kernel_moments(const KernelTiles& kernels, const LabelSimilarity& similarity,
                             bool centre, const Progress& progress);

// A and b of the kernels divided by their largest values.
struct Normalised {
  Matrix<double> products;
  std::vector<double> with_labels;
};

// Requires that no kernel is 0 everywhere.
Normalised normalised(const KernelMoments& moments);

}  // namespace muster
