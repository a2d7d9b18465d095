// What the kernels that look at every pair of vectors of two sets through a local kernel share:
// blocks of local kernel values that stay in cache, tiles of set pairs over threads, the sets
// themselves as representations. A new kernel of this kind only defines the value of a pair of
// sets. Cost O(m^2 d) per pair for the local kernel values; memory O(m d) per set.
#pragma once

#include <functional>

#include "muster/localkernel/local_kernel.h"
#include "muster/matching/stored_set.h"

namespace muster {

// Calls body(first row, first column, values) for blocks of all pairs of vectors, in a fixed order.
void for_each_local_block(const LocalKernel& local, const StoredSet& x, const StoredSet& y,
                          const std::function<void(size_t, size_t, MatrixView<float>)>& body);

// All of them at once, |x| x |y|. More than 4 GiB of them, and values that are not finite, are a
// data error that names `stage`.
Matrix<float> all_local_values(const char* stage, const LocalKernel& local, const StoredSet& x,
                               const StoredSet& y);

class PairKernel : public SetKernel {
 public:
  explicit PairKernel(LocalKernel local) : local_(std::move(local)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override;
  // Every value is computed with the two sets in an order that depends on them alone, so that k(x,
  // y) = k(y, x) to the last bit.
  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const final;
  void save(const TensorWriter& out) const override { out.put("gamma", local_.gamma()); }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    save_stored_sets(sets, out);
  }
  Represented load_represented(const TensorReader& in) const override {
    return load_stored_sets(in);
  }

 protected:
  // Neither set is empty; an empty set has value 0 with every set.
  virtual double value(const StoredSet& x, const StoredSet& y) const = 0;

  const LocalKernel& local() const { return local_; }

 private:
  LocalKernel local_;
};

// The options with the width that the file holds.
inline LocalKernel load_local_kernel(LocalKernelOptions options, const TensorReader& in) {
  options.gamma = in.number("gamma");
  return LocalKernel(options);
}

}  // namespace muster
