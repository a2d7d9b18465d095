#include "muster/matching/match.h"

#include <limits>

#include "muster/matching/pair_kernel.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

double mean(std::span<const float> values) {
  double sum = 0;
  for (float value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class Match final : public PairKernel {
 public:
  using PairKernel::PairKernel;

 private:
  double value(const StoredSet& x, const StoredSet& y) const override {
    constexpr float kLowest = std::numeric_limits<float>::lowest();
    std::vector<float> best_of_x(x.vectors.rows(), kLowest), best_of_y(y.vectors.rows(), kLowest);
    for_each_local_block(local(), x, y, [&](size_t row, size_t col, MatrixView<float> block) {
      raise_to_maxima(block, std::span(best_of_x).subspan(row, block.rows),
                      std::span(best_of_y).subspan(col, block.cols));
    });
    return 0.5 * (mean(best_of_x) + mean(best_of_y));
  }
};

}  // namespace

std::shared_ptr<const SetKernel> fit_match(const MatchOptions& options, const Sample& sample,
                                           Rng rng, const Progress&) {
  return std::make_shared<Match>(LocalKernel(options.local, sample.vectors, rng));
}

std::shared_ptr<const SetKernel> load_match(const MatchOptions& options, const TensorReader& in) {
  return std::make_shared<Match>(load_local_kernel(options.local, in));
}

}  // namespace muster
