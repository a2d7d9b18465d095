// A set becomes one vector. Every representation of this kind is a sum of statistics over the
// vectors of the set, followed by something done once a set:
//
//   sum = sum_x stat(x)            accumulate(): the hot path, a batch of vectors a call
//   out = finish(sum, |X|)         once a set (for bow: divide by |X|; for fisher: normalise, ...)
//
// Sums add up over cells, so a spatial pyramid computes the statistics once, on its finest cells.
#pragma once

#include <span>

#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"

namespace muster {

// Immutable and shareable between threads.
class SetFeature {
 public:
  virtual ~SetFeature() = default;
  virtual size_t input_dim() const = 0;
  // Length of the statistics, and of the finished vector.
  virtual size_t sum_dim() const = 0;
  virtual size_t dim() const { return sum_dim(); }
  // Adds the statistics of the vectors (m x input_dim()) to `sum`.
  virtual void accumulate(ConstMatrixView vectors, std::span<float> sum) const = 0;
  // Writes all of `out` (dim() values). A set without vectors (count = 0) becomes the zero vector.
  virtual void finish(std::span<const float> sum, size_t count, std::span<float> out) const = 0;
  virtual void save(TensorWriter out) const = 0;

  // accumulate and finish over the whole set; the spatial pyramid overrides it.
  virtual void encode(const VectorSet& set, std::span<float> out) const;
};

}  // namespace muster
