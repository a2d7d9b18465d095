#include "muster/setfeature/fisher.h"

#include <cmath>

#include "muster/mixture/coarse_gmm.h"

namespace muster {
namespace {

// A component without weight must not divide by zero.
constexpr double kLeastWeight = 1e-10;
constexpr size_t kBlockRows = 512;
// Of a component in a vector; what is less would not show.
constexpr double kLeastShare = 1e-8;

class Fisher final : public SetStatistic {
 public:
  explicit Fisher(Universal universal)
      : universal_(std::move(universal)),
        coarse_(CoarseGmm::of(mixture())),
        means_(mixture().num_components(), mixture().dim()),
        mean_scales_(means_.rows(), means_.cols()),
        variance_scales_(means_.rows(), means_.cols()) {
    for (size_t m = 0; m < means_.rows(); ++m) {
      const double weight = std::max(mixture().weights()[m], kLeastWeight);
      count_scales_.push_back(1 / std::sqrt(2 * weight));
      for (size_t t = 0; t < means_.cols(); ++t) {
        const double variance = mixture().covariances()(m, t);
        means_(m, t) = mixture().means()(m, t) - mixture().origin()[t];
        mean_scales_(m, t) = 1 / std::sqrt(weight * variance);
        variance_scales_(m, t) = count_scales_.back() / variance;
      }
    }
  }

  size_t input_dim() const override { return mixture().dim(); }
  size_t sum_dim() const override { return 2 * mixture().num_components() * mixture().dim(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    GmmStatistics statistics(k, d, CovarianceKind::kDiagonal);
    statistics.add(mixture(), vectors, coarse_ ? &*coarse_ : nullptr);
    for (size_t m = 0; m < k; ++m) {
      const double count = statistics.counts[m], less = count * count_scales_[m];
      const double* sums = statistics.sums.row(m).data();
      const double* squares = statistics.squares.row(m).data();
      const double* means = means_.row(m).data();
      const double* mean_scales = mean_scales_.row(m).data();
      const double* variance_scales = variance_scales_.row(m).data();
      float* of_mean = sum.data() + 2 * m * d;
      float* of_variance = of_mean + d;
      for (size_t t = 0; t < d; ++t) {
        const double first = sums[t] - count * means[t];
        const double second = squares[t] - means[t] * (sums[t] + first);
        of_mean[t] += static_cast<float>(mean_scales[t] * first);
        of_variance[t] += static_cast<float>(variance_scales[t] * second - less);
      }
    }
  }

  // Few components have a part in a vector: the others are passed over.
  void project(ConstMatrixView vectors, std::span<const double> direction,
               std::span<double> out) const override {
    const size_t k = mixture().num_components(), d = mixture().dim();
    Matrix<float> shares(std::min(kBlockRows, vectors.rows), k);
    for (size_t i = 0; i < vectors.rows; ++i) {
      if (i % kBlockRows == 0) {
        const size_t count = std::min(kBlockRows, vectors.rows - i);
        mixture().posteriors(vectors.slice_rows(i, count), shares.view().slice_rows(0, count));
      }
      out[i] = 0;
      for (size_t m = 0; m < k; ++m) {
        const double share = shares(i % kBlockRows, m);
        if (share < kLeastShare) continue;
        const double* of_mean = direction.data() + 2 * m * d;
        double sum = 0;
        for (size_t t = 0; t < d; ++t) {
          const double x = vectors(i, t) - mixture().origin()[t] - means_(m, t);
          sum += of_mean[t] * mean_scales_(m, t) * x +
                 of_mean[d + t] * (variance_scales_(m, t) * x * x - count_scales_[m]);
        }
        out[i] += share * sum;
      }
    }
  }

  const Universal* universal() const override { return &universal_; }
  void save(const TensorWriter& out) const override { universal_.save(out.scope("universal")); }

 private:
  const Gmm& mixture() const { return universal_.mixture; }

  Universal universal_;
  std::optional<CoarseGmm> coarse_;
  Matrix<double> means_;  // relative to the mixture's origin, as statistics are
  // 1 / (sqrt(w) sigma), 1 / (sqrt(2 w) sigma^2) and 1 / sqrt(2 w).
  Matrix<double> mean_scales_, variance_scales_;
  std::vector<double> count_scales_;
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

SetFeature load_fisher(const FisherOptions& options, const TensorReader& in) {
  Universal universal = Universal::load(in.scope("universal"));
  in.require(universal.mixture.kind() == CovarianceKind::kDiagonal, "full covariances");
  return from_mixture(options, std::move(universal));
}

SetFeature make_fisher(const FisherOptions& options, Universal universal) {
  require_universal("fisher", options.universal, CovarianceKind::kDiagonal, universal);
  return from_mixture(options, std::move(universal));
}

}  // namespace muster
