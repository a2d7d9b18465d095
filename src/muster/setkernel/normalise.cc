#include "muster/setkernel/normalise.h"

#include <cmath>
#include <optional>

#include "muster/core/parallel.h"
#include "muster/setkernel/kernel_transform.h"

namespace muster {
namespace {

// What the kernel below keeps, and k(X, X) once it is known.
class NormalisedSet final : public WrappedSet {
 public:
  NormalisedSet(std::shared_ptr<const Representation> base, std::optional<double> self)
      : WrappedSet(std::move(base)), self(self) {}
  size_t num_bytes() const override { return base->num_bytes() + sizeof(self); }

  std::optional<double> self;
};

const NormalisedSet& normalised(const Representation& set) {
  return dynamic_cast<const NormalisedSet&>(set);
}

class Normalise final : public KernelTransform {
 public:
  // `settled`: what candidates() of the kernel below left open is decided, so that values can be
  // computed.
  Normalise(std::shared_ptr<const SetKernel> base, bool settled)
      : KernelTransform(std::move(base)), settled_(settled) {}

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (auto& kernel : base().candidates(bases_of(training)))
      out.push_back(std::make_shared<Normalise>(std::move(kernel), true));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const Represented left = bases_of(a), right = symmetric ? Represented() : bases_of(b);
    base().gram(left, symmetric ? left : right, out, progress);
    const std::vector<double> scale_a = scales(a), scale_b = symmetric ? scale_a : scales(b);
    for (size_t i = 0; i < out.rows; ++i)
      for (size_t j = 0; j < out.cols; ++j) out(i, j) *= scale_a[i] * scale_b[j];
    if (!symmetric) return;
    for (size_t i = 0; i < out.rows; ++i) out(i, i) = scale_a[i] > 0 ? 1 : 0;
  }

  void save(const TensorWriter& out) const override { base().save(out.scope("base")); }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    base().save_represented(bases_of(sets), out.scope("base"));
    out.put("self", self_values(sets));
  }

  Represented load_represented(const TensorReader& in) const override {
    Represented sets = base().load_represented(in.scope("base"));
    const std::vector<double> self = in.values<double>("self");
    in.require(self.size() == sets.size(), "a value of every set with itself");
    for (size_t i = 0; i < sets.size(); ++i)
      sets[i] = std::make_shared<NormalisedSet>(std::move(sets[i]), self[i]);
    return sets;
  }

 private:
  std::shared_ptr<const Representation> wrap(
      std::shared_ptr<const Representation> set) const override {
    std::optional<double> self;
    if (settled_) self = self_value(set);
    return std::make_shared<NormalisedSet>(std::move(set), self);
  }

  double self_value(const std::shared_ptr<const Representation>& set) const {
    double out = 0;
    const RepresentedSpan one(&set, 1);
    base().gram(one, one, MatrixView<double>(&out, 1, 1), {});
    return out;
  }

  std::vector<double> self_values(RepresentedSpan sets) const {
    std::vector<double> out(sets.size());
    parallel_for(sets.size(), 1, [&](size_t i, size_t) {
      const NormalisedSet& set = normalised(*sets[i]);
      out[i] = set.self ? *set.self : self_value(set.base);
    });
    return out;
  }

  // 1 / sqrt(k(X, X)), or 0 if that is not a number.
  std::vector<double> scales(RepresentedSpan sets) const {
    std::vector<double> out = self_values(sets);
    for (double& self : out) self = self > 0 ? 1 / std::sqrt(self) : 0;
    return out;
  }

  bool settled_;
};

}  // namespace

std::shared_ptr<const SetKernel> make_normalise(std::shared_ptr<const SetKernel> base) {
  return std::make_shared<Normalise>(std::move(base), false);
}

std::shared_ptr<const SetKernel> load_normalise(std::shared_ptr<const SetKernel> base,
                                                const TensorReader&) {
  return std::make_shared<Normalise>(std::move(base), true);
}

}  // namespace muster
