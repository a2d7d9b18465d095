#include "muster/matching/sum_match.h"

#include "muster/matching/pair_kernel.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

class SumMatch final : public PairKernel {
 public:
  using PairKernel::PairKernel;

 private:
  double value(const StoredSet& x, const StoredSet& y) const override {
    double sum = 0;
    for_each_local_block(local(), x, y, [&](size_t, size_t, MatrixView<float> block) {
      sum += sum_of_values(block);
    });
    return sum / (static_cast<double>(x.vectors.rows()) * static_cast<double>(y.vectors.rows()));
  }
};

}  // namespace

std::shared_ptr<const SetKernel> fit_sum_match(const SumMatchOptions& options, const Sample& sample,
                                               Rng rng, const Progress&) {
  return std::make_shared<SumMatch>(LocalKernel(options.local, sample.vectors, rng));
}

std::shared_ptr<const SetKernel> load_sum_match(const SumMatchOptions& options,
                                                const TensorReader& in) {
  return std::make_shared<SumMatch>(load_local_kernel(options.local, in));
}

}  // namespace muster
