// A kernel between sets: represent each set once, then compare all pairs.
#pragma once

#include <memory>
#include <optional>
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

// At most `most` of the sets, evenly over their order, so that all classes of an ordered list take
// part.
Represented spread_over(RepresentedSpan sets, size_t most);

struct Universal;
struct WeightLearning;

// What each vector of a set has to do with a weighted sum of kernel values.
struct VectorShares {
  std::vector<double> values;
  bool exact = false;  // parts that the vectors bring; else derivatives (SetFeature::shares)
};

// Immutable and shareable between threads.
class SetKernel : public std::enable_shared_from_this<SetKernel> {
 public:
  virtual ~SetKernel() = default;
  // On the calling thread.
  virtual std::shared_ptr<const Representation> represent(const VectorSet& set) const = 0;
  // Whether a vector's weight counts; if not, represent() is given no set that has weights.
  virtual bool takes_weights() const { return false; }
  // The same from the vector that a set feature made of the set: kernels on set features only.
  virtual std::shared_ptr<const Representation> represent_vector(
      std::span<const float> vector) const;
  // Kernels to choose from by cross-validation, all of which take this kernel's representations. A
  // width that is left to the data is settled here, from the represented training sets. This kernel
  // alone, unless a method says otherwise.
  virtual std::vector<std::shared_ptr<const SetKernel>> candidates(RepresentedSpan training) const;
  // Candidates that differ in a factor alone, exp(-f D), can share the work of D: turns values of
  // `other`, one of this kernel's fellow candidates, into its own and gives true; else gives false.
  virtual bool from_values_of(const SetKernel&, MatrixView<double>) const { return false; }
  // out(i, j) = k(a[i], b[j]); `out` is |a| x |b|. Threads inside. If a and b are the same span,
  // the result is exactly symmetric.
  virtual void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                    const Progress& progress) const = 0;

  // Of sum_j coefficients[j] k(set, training[j]). None unless a method says otherwise.
  virtual std::optional<VectorShares> shares(const VectorSet& set, RepresentedSpan training,
                                             std::span<const double> coefficients) const;

  // A kernel may be a weighted sum of others (one per cell of a spatial pyramid, say) whose weights
  // can be learned (kernel_weights.h). This is their number; it is 1 for a kernel that is not such
  // a sum, which has none of what follows.
  virtual size_t num_parts() const { return 1; }
  // Part p of a[i] and b[j], without its weight, is out(p, i * |b| + j). On the calling thread.
  virtual void part_grams(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out) const;
  virtual std::vector<double> part_weights() const;
  // This kernel with other weights of its parts.
  virtual std::shared_ptr<const SetKernel> with_weights(std::vector<double> weights) const;
  // How its weights are to be learned; null if they are settled.
  virtual const WeightLearning* weights_to_learn() const { return nullptr; }

  // The universal mixture that it rests on; null if it rests on none.
  virtual const Universal* universal() const { return nullptr; }

  virtual void save(const TensorWriter& out) const = 0;
  virtual void save_represented(RepresentedSpan sets, const TensorWriter& out) const = 0;
  virtual Represented load_represented(const TensorReader& in) const = 0;
};

// A data error if the set has weights and the kernel does not take them.
void require_weights_taken(const SetKernel& kernel, const VectorSet& set);

// The middle of a grid around the value that the data suggest: what to take if there is nothing to
// choose by.
template <class T>
const T& middle_of(const std::vector<T>& grid) {
  return grid[(grid.size() - 1) / 2];
}

}  // namespace muster
