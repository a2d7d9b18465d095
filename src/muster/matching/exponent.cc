#include "muster/matching/exponent.h"

#include <cmath>

#include "muster/matching/pair_kernel.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

class Exponent final : public PairKernel {
 public:
  Exponent(LocalKernel local, int power) : PairKernel(std::move(local)), power_(power) {}

 private:
  double value(const StoredSet& x, const StoredSet& y) const override {
    double sum = 0;
    for_each_local_block(local(), x, y, [&](size_t, size_t, MatrixView<float> block) {
      sum += sum_of_powers(block, power_);
    });
    if (!std::isfinite(sum))
      throw data_error(
          "exponent: p={} takes local kernel values of these vectors out of the range of numbers; "
          "use a smaller p, or scale the vectors by the stage l2",
          power_);
    return sum / (static_cast<double>(x.vectors.rows()) * static_cast<double>(y.vectors.rows()));
  }

  int power_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_exponent(const ExponentOptions& options, const Sample& sample,
                                              Rng rng, const Progress&) {
  return std::make_shared<Exponent>(LocalKernel(options.local, sample.vectors, rng), options.p);
}

std::shared_ptr<const SetKernel> load_exponent(const ExponentOptions& options,
                                               const TensorReader& in) {
  return std::make_shared<Exponent>(load_local_kernel(options.local, in), options.p);
}

}  // namespace muster
