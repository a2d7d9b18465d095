// A kernel between sets: represent each set once, then compare all pairs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "muster/core/progress.h"
#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"

namespace muster {

// What a kernel keeps of one set. Each kernel has its own; most are vectors.
class Representation {
 public:
  virtual ~Representation() = default;
  virtual size_t num_bytes() const = 0;
};

using Represented = std::vector<std::shared_ptr<const Representation>>;
using RepresentedSpan = std::span<const std::shared_ptr<const Representation>>;

// Immutable and shareable between threads.
class SetKernel : public std::enable_shared_from_this<SetKernel> {
 public:
  virtual ~SetKernel() = default;
  // On the calling thread.
  virtual std::shared_ptr<const Representation> represent(const VectorSet& set) const = 0;
  // Kernels to choose from by cross-validation, all with this one's representations: where a width is
  // left to the data it is settled here, from the represented training sets. This kernel alone, unless
  // a method says otherwise.
  virtual std::vector<std::shared_ptr<const SetKernel>> candidates(RepresentedSpan training) const;
  // out(i, j) = k(a[i], b[j]); `out` is |a| x |b|. Threads inside. Where a and b are the same span the
  // result is exactly symmetric.
  virtual void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                    const Progress& progress) const = 0;
  virtual void save(TensorWriter out) const = 0;
  virtual void save_represented(RepresentedSpan sets, TensorWriter out) const = 0;
  virtual Represented load_represented(TensorReader in) const = 0;
};

}  // namespace muster
