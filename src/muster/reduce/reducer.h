// A set becomes a set of the same size: PCA, appended places, normalisation.
#pragma once

#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"

namespace muster {

// Immutable and shareable between threads. An empty set becomes an empty set of output_dim().
class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual size_t input_dim() const = 0;
  virtual size_t output_dim() const = 0;
  virtual VectorSet apply(VectorSet set) const = 0;
  virtual void save(const TensorWriter& out) const = 0;
};

}  // namespace muster
