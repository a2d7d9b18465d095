#include "muster/setkernel/subpoly.h"

#include <cmath>

#include "muster/setkernel/kernel_transform.h"

namespace muster {
namespace {

class Subpoly final : public KernelTransform {
 public:
  Subpoly(double power, std::shared_ptr<const SetKernel> base)
      : KernelTransform(std::move(base)), power_(power) {}

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (auto& kernel : base().candidates(training))
      out.push_back(std::make_shared<Subpoly>(power_, std::move(kernel)));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    base().gram(a, b, out, progress);
    for (size_t i = 0; i < out.rows; ++i)
      for (double& value : out.row(i))
        value = std::copysign(std::pow(std::abs(value), power_), value);
  }

  void save(const TensorWriter& out) const override { base().save(out.scope("base")); }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    base().save_represented(sets, out);
  }
  Represented load_represented(const TensorReader& in) const override {
    return base().load_represented(in);
  }

 private:
  std::shared_ptr<const Representation> wrap(
      std::shared_ptr<const Representation> set) const override {
    return set;
  }

  double power_;
};

}  // namespace

std::shared_ptr<const SetKernel> make_subpoly(const SubpolyOptions& options,
                                              std::shared_ptr<const SetKernel> base) {
  return std::make_shared<Subpoly>(options.p, std::move(base));
}

std::shared_ptr<const SetKernel> load_subpoly(const SubpolyOptions& options,
                                              std::shared_ptr<const SetKernel> base,
                                              const TensorReader&) {
  return make_subpoly(options, std::move(base));
}

}  // namespace muster
