#include "muster/setfeature/supervector.h"

#include <cmath>

namespace muster {
namespace {

class Supervector final : public SetStatistic {
 public:
  Supervector(Universal universal, double tau) : universal_(std::move(universal)), tau_(tau) {}

  size_t input_dim() const override { return mixture().dim(); }
  // A component's count, then its d sums.
  size_t sum_dim() const override { return mixture().num_components() * (mixture().dim() + 1); }
  size_t dim() const override { return mixture().num_components() * mixture().dim(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    GmmStatistics statistics(k, d, CovarianceKind::kDiagonal);
    statistics.add(mixture(), vectors);
    for (size_t m = 0; m < k; ++m) {
      const double count = statistics.counts[m], weight = std::sqrt(mixture().weights()[m]);
      float* out = sum.data() + m * (d + 1);
      *out++ += static_cast<float>(count);
      for (size_t t = 0; t < d; ++t) {
        // The statistics are relative to the mixture's origin.
        const double mean = mixture().means()(m, t) - mixture().origin()[t];
        out[t] += static_cast<float>(weight * (statistics.sums(m, t) - count * mean) /
                                     std::sqrt(mixture().covariances()(m, t)));
      }
    }
  }

  void finish(std::span<const float> sum, size_t, std::span<float> out) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    for (size_t m = 0; m < k; ++m) {
      const float* from = sum.data() + m * (d + 1);
      const auto scale = static_cast<float>(1 / (static_cast<double>(from[0]) + tau_));
      for (size_t t = 0; t < d; ++t) out[m * d + t] = scale * from[1 + t];
    }
  }

  bool additive() const override { return false; }

  void pull_back(std::span<const float> sum, size_t, std::span<const double> gradient,
                 std::span<double> out) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    for (size_t m = 0; m < k; ++m) {
      const size_t at = m * (d + 1);
      const double scale = 1 / (static_cast<double>(sum[at]) + tau_);
      out[at] = 0;
      for (size_t t = 0; t < d; ++t) {
        out[at + 1 + t] = scale * gradient[m * d + t];
        out[at] -= scale * out[at + 1 + t] * sum[at + 1 + t];
      }
    }
  }

  const Universal* universal() const override { return &universal_; }
  void save(const TensorWriter& out) const override { universal_.save(out.scope("universal")); }

 private:
  const Gmm& mixture() const { return universal_.mixture; }

  Universal universal_;
  double tau_;
};

SetFeature from_mixture(const SupervectorOptions& options, Universal universal) {
  return SetFeature(std::make_unique<Supervector>(std::move(universal), options.tau),
                    options.pooling);
}

}  // namespace

void SupervectorOptions::fields(Fields& f) {
  universal.fields(f);
  f("tau", tau, "relevance factor: trust in the universal mixture's means, in vectors")
      .range(1e-9, 1e12)
      .paper("UGM 2.2");
  pooling.fields(f);
}

SetFeature fit_supervector(const SupervectorOptions& options, const Sample& sample, Rng rng,
                           const Progress& progress) {
  return from_mixture(options, fit_universal(options.universal, CovarianceKind::kDiagonal,
                                             sample.vectors, rng, progress));
}

SetFeature load_supervector(const SupervectorOptions& options, const TensorReader& in) {
  Universal universal = Universal::load(in.scope("universal"));
  in.require(universal.mixture.kind() == CovarianceKind::kDiagonal, "full covariances");
  return from_mixture(options, std::move(universal));
}

SetFeature make_supervector(const SupervectorOptions& options, Universal universal) {
  require_universal("supervector", options.universal, CovarianceKind::kDiagonal, universal);
  return from_mixture(options, std::move(universal));
}

}  // namespace muster
