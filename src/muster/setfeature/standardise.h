// Standardising vectors: every dimension to zero mean and unit variance over the training vectors
// (GEN 3.4.1), v_t <- (v_t - mean_t) / deviation_t. A dimension that is constant in training
// becomes 0 for every vector. Immutable and shareable between threads. Cost O(d) per vector.
#pragma once

#include <span>
#include <vector>

#include "muster/core/tensors.h"

namespace muster {

class Standardiser {
 public:
  // One row per training vector; without rows it does nothing.
  explicit Standardiser(ConstMatrixView training);
  static Standardiser load(const TensorReader& in);

  size_t dim() const { return mean_.size(); }
  // What differences from the mean are multiplied by.
  const std::vector<float>& factors() const { return factor_; }
  void apply(std::span<float> vector) const;
  void save(const TensorWriter& out) const;

 private:
  Standardiser() = default;

  std::vector<float> mean_;
  std::vector<float> factor_;  // 1 / deviation, or 0
};

}  // namespace muster
