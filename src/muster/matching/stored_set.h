// The set itself as its representation, for kernels that look at every pair of vectors.
#pragma once

#include "muster/setkernel/set_kernel.h"

namespace muster {

class StoredSet : public Representation {
 public:
  explicit StoredSet(Matrix<float> vectors);
  size_t num_bytes() const override { return vectors.size() * sizeof(float); }

  Matrix<float> vectors;
  std::vector<float> half_norms;  // |x|^2 / 2
};

const StoredSet& stored_set(const Representation& set);
// All sets as one matrix with the bounds of each.
void save_stored_sets(RepresentedSpan sets, const TensorWriter& out);
Represented load_stored_sets(const TensorReader& in);

}  // namespace muster
