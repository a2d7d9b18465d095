#include "muster/setfeature/fisher.h"

#include <cmath>

namespace muster {
namespace {

// A component without weight must not divide by zero.
constexpr double kLeastWeight = 1e-10;

class Fisher final : public SetStatistic {
 public:
  explicit Fisher(Universal universal) : universal_(std::move(universal)) {}

  size_t input_dim() const override { return mixture().dim(); }
  size_t sum_dim() const override { return 2 * mixture().num_components() * mixture().dim(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    GmmStatistics statistics(k, d, CovarianceKind::kDiagonal);
    statistics.add(mixture(), vectors);
    for (size_t m = 0; m < k; ++m) {
      const double count = statistics.counts[m],
                   weight = std::max(mixture().weights()[m], kLeastWeight);
      const double mean_scale = 1 / std::sqrt(weight), variance_scale = 1 / std::sqrt(2 * weight);
      float* of_mean = sum.data() + 2 * m * d;
      float* of_variance = of_mean + d;
      for (size_t t = 0; t < d; ++t) {
        // The statistics are relative to the mixture's origin.
        const double mean = mixture().means()(m, t) - mixture().origin()[t];
        const double variance = mixture().covariances()(m, t);
        const double first = statistics.sums(m, t) - count * mean;
        const double second = statistics.squares(m, t) - mean * (statistics.sums(m, t) + first);
        of_mean[t] += static_cast<float>(mean_scale * first / std::sqrt(variance));
        of_variance[t] += static_cast<float>(variance_scale * (second / variance - count));
      }
    }
  }

  void save(TensorWriter out) const override { universal_.save(out.scope("universal")); }

 private:
  const Gmm& mixture() const { return universal_.mixture; }

  Universal universal_;
};

SetFeature from_mixture(const FisherOptions& options, Universal universal) {
  return SetFeature(std::make_unique<Fisher>(std::move(universal)), options.pooling);
}

}  // namespace

SetFeature fit_fisher(const FisherOptions& options, const Sample& sample, Rng rng,
                      const Progress& progress) {
  return from_mixture(options, fit_universal(options.universal, CovarianceKind::kDiagonal,
                                             sample.vectors, rng, progress));
}

SetFeature load_fisher(const FisherOptions& options, TensorReader in) {
  Universal universal = Universal::load(in.scope("universal"));
  in.require(universal.mixture.kind() == CovarianceKind::kDiagonal, "full covariances");
  return from_mixture(options, std::move(universal));
}

SetFeature make_fisher(const FisherOptions& options, Universal universal) {
  require_universal("fisher", options.universal, CovarianceKind::kDiagonal, universal);
  return from_mixture(options, std::move(universal));
}

}  // namespace muster
