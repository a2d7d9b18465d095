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

// Immutable and shareable between threads.
class SetKernel {
 public:
  virtual ~SetKernel() = default;
  virtual std::shared_ptr<const Representation> represent(const VectorSet& set) const = 0;
  // out(i, j) = k(a[i], b[j]); `out` is |a| x |b|. Threads inside; where a and b are the same
  // span the result is exactly symmetric.
  virtual void gram(std::span<const std::shared_ptr<const Representation>> a,
                    std::span<const std::shared_ptr<const Representation>> b, MatrixView<double> out,
                    const Progress& progress) const = 0;
  virtual void save(TensorWriter out) const = 0;
  virtual void save_representation(const Representation& set, TensorWriter out) const = 0;
  virtual std::shared_ptr<const Representation> load_representation(TensorReader in) const = 0;
};

}  // namespace muster
