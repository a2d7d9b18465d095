// What the transforms of a kernel share: they keep of a set what the kernel below them keeps, with
// more around it or as it is, and rest on what that kernel rests on.
#pragma once

#include "muster/setkernel/set_kernel.h"

namespace muster {

// A set as the kernel below keeps it.
class WrappedSet : public Representation {
 public:
  explicit WrappedSet(std::shared_ptr<const Representation> base) : base(std::move(base)) {}

  std::shared_ptr<const Representation> base;
};

// Of WrappedSets.
Represented bases_of(RepresentedSpan sets);

class KernelTransform : public SetKernel {
 public:
  explicit KernelTransform(std::shared_ptr<const SetKernel> base) : base_(std::move(base)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const final {
    return wrap(base_->represent(set));
  }
  std::shared_ptr<const Representation> represent_vector(
      std::span<const float> vector) const final {
    return wrap(base_->represent_vector(vector));
  }
  const Universal* universal() const final { return base_->universal(); }

 protected:
  // What this kernel keeps of a set, given what the kernel below keeps.
  virtual std::shared_ptr<const Representation> wrap(
      std::shared_ptr<const Representation> set) const = 0;
  const SetKernel& base() const { return *base_; }

 private:
  std::shared_ptr<const SetKernel> base_;
};

}  // namespace muster
