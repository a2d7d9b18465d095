#include "muster/setkernel/normalise.h"

#include <cmath>
#include <optional>

#include "muster/core/parallel.h"

namespace muster {
namespace {

// What the kernel below keeps, and k(X, X) once it is known.
class NormalisedSet final : public Representation {
 public:
  NormalisedSet(std::shared_ptr<const Representation> base, std::optional<double> self)
      : base(std::move(base)), self(self) {}
  size_t num_bytes() const override { return base->num_bytes() + sizeof(self); }

  std::shared_ptr<const Representation> base;
  std::optional<double> self;
};

const NormalisedSet& normalised(const Representation& set) {
  return dynamic_cast<const NormalisedSet&>(set);
}

Represented bases_of(RepresentedSpan sets) {
  Represented out;
  out.reserve(sets.size());
  for (const auto& set : sets) out.push_back(normalised(*set).base);
  return out;
}

class Normalise final : public SetKernel {
 public:
  // `settled`: what candidates() of the kernel below left open is decided, so that values can be
  // computed.
  Normalise(std::shared_ptr<const SetKernel> base, bool settled)
      : base_(std::move(base)), settled_(settled) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    std::shared_ptr<const Representation> base = base_->represent(set);
    std::optional<double> self;
    if (settled_) self = self_value(base);
    return std::make_shared<NormalisedSet>(std::move(base), self);
  }

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (auto& base : base_->candidates(bases_of(training)))
      out.push_back(std::make_shared<Normalise>(std::move(base), true));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const Represented left = bases_of(a), right = symmetric ? Represented() : bases_of(b);
    base_->gram(left, symmetric ? left : right, out, progress);
    const std::vector<double> scale_a = scales(a), scale_b = symmetric ? scale_a : scales(b);
    for (size_t i = 0; i < out.rows; ++i)
      for (size_t j = 0; j < out.cols; ++j) out(i, j) *= scale_a[i] * scale_b[j];
    if (!symmetric) return;
    for (size_t i = 0; i < out.rows; ++i) out(i, i) = scale_a[i] > 0 ? 1 : 0;
  }

  void save(TensorWriter out) const override { base_->save(out.scope("base")); }

  void save_represented(RepresentedSpan sets, TensorWriter out) const override {
    base_->save_represented(bases_of(sets), out.scope("base"));
    out.put("self", self_values(sets));
  }

  Represented load_represented(TensorReader in) const override {
    Represented sets = base_->load_represented(in.scope("base"));
    const std::vector<double> self = in.values<double>("self");
    in.require(self.size() == sets.size(), "a value of every set with itself");
    for (size_t i = 0; i < sets.size(); ++i)
      sets[i] = std::make_shared<NormalisedSet>(std::move(sets[i]), self[i]);
    return sets;
  }

 private:
  double self_value(const std::shared_ptr<const Representation>& base) const {
    double out = 0;
    const RepresentedSpan one(&base, 1);
    base_->gram(one, one, MatrixView<double>(&out, 1, 1), {});
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

  // 1 / sqrt(k(X, X)), or 0 where that is no number.
  std::vector<double> scales(RepresentedSpan sets) const {
    std::vector<double> out = self_values(sets);
    for (double& self : out) self = self > 0 ? 1 / std::sqrt(self) : 0;
    return out;
  }

  std::shared_ptr<const SetKernel> base_;
  bool settled_;
};

}  // namespace

std::shared_ptr<const SetKernel> make_normalise(std::shared_ptr<const SetKernel> base) {
  return std::make_shared<Normalise>(std::move(base), false);
}

std::shared_ptr<const SetKernel> load_normalise(std::shared_ptr<const SetKernel> base,
                                                TensorReader) {
  return std::make_shared<Normalise>(std::move(base), true);
}

}  // namespace muster
