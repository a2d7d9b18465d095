#include "muster/mixture/adapt.h"

namespace muster {
namespace {

constexpr double kTiny = 1e-12;

// One M step from what `statistics` say, which are relative to `origin`.
class Adaptation {
 public:
  Adaptation(const AdaptOptions& options, const Universal& universal)
      : options_(options), universal_(universal), mixture_(universal.mixture) {}

  Gmm step(const GmmStatistics& statistics, std::span<const float> origin) const {
    const size_t k = mixture_.num_components();
    std::vector<double> weights = mixture_.weights();
    Matrix<double> means = mixture_.means(), covariances = mixture_.covariances();
    const double prior = static_cast<double>(k) * options_.tau;
    double all = prior;
    for (double count : statistics.counts) all += count;
    for (size_t m = 0; m < k; ++m) {
      const double count = statistics.counts[m];
      if (options_.adapt == Adapt::kAll && all > kTiny)
        weights[m] = (count + prior * weights[m]) / all;
      if (options_.adapt == Adapt::kPrinted && all > kTiny)
        weights[m] = (count + options_.tau) / all;
      if (count + options_.tau < kTiny) continue;
      adapt_mean(count, statistics.sums.row(m), origin, means.row(m));
      if (options_.adapt == Adapt::kMeans) continue;
      if (mixture_.kind() == CovarianceKind::kDiagonal)
        adapt_variances(count, statistics, m, origin, means.row(m), covariances.row(m));
      else
        adapt_covariance(count, statistics, m, origin, means.row(m),
                         covariances.view().slice_rows(m * mixture_.dim(), mixture_.dim()));
    }
    return Gmm(std::move(weights), std::move(means), std::move(covariances), mixture_.kind());
  }

 private:
  // `mean` holds the universal mean.
  void adapt_mean(double count, std::span<const double> sum, std::span<const float> origin,
                  std::span<double> mean) const {
    for (size_t t = 0; t < mean.size(); ++t)
      mean[t] = (sum[t] + count * origin[t] + options_.tau * mean[t]) / (count + options_.tau);
  }

  void adapt_variances(double count, const GmmStatistics& statistics, size_t m,
                       std::span<const float> origin, std::span<const double> mean,
                       std::span<double> variances) const {
    for (size_t t = 0; t < mean.size(); ++t) {
      const double own = mean[t] - origin[t], universal = mixture_.means()(m, t) - origin[t];
      const double square =
          (statistics.squares(m, t) + options_.tau * (variances[t] + universal * universal)) /
          (count + options_.tau);
      variances[t] = std::max(square - own * own, universal_.floors[t]);
    }
  }

  void adapt_covariance(double count, const GmmStatistics& statistics, size_t m,
                        std::span<const float> origin, std::span<const double> mean,
                        MatrixView<double> covariance) const {
    const size_t d = mean.size();
    for (size_t i = 0; i < d; ++i)
      for (size_t t = 0; t <= i; ++t) {
        const double own = (mean[i] - origin[i]) * (mean[t] - origin[t]);
        const double universal =
            (mixture_.means()(m, i) - origin[i]) * (mixture_.means()(m, t) - origin[t]);
        const double square =
            (statistics.squares(m * d + i, t) + options_.tau * (covariance(i, t) + universal)) /
            (count + options_.tau);
        covariance(i, t) = covariance(t, i) = square - own;
      }
    floor_covariance(covariance, universal_.floors);
  }

  const AdaptOptions& options_;
  const Universal& universal_;
  const Gmm& mixture_;
};

}  // namespace

void AdaptOptions::fields(Fields& f) {
  f("tau", tau, "relevance factor: trust in the universal mixture, in vectors per component")
      .range(0, 1e12)
      .paper("UGM 2.2");
  f("iterations", iterations, "iterations of adaptation").range(1, 1000).paper("UGM 2.2");
  f.choice("adapt", adapt, {"means", "all", "printed"},
           "what is adapted to a set: means, or weights and covariances as well; printed: the same "
           "with weights drawn towards 1 / components, as the paper prints")
      .paper("UGM 2.2");
}

Gmm adapt(const AdaptOptions& options, const Universal& universal, ConstMatrixView vectors) {
  if (vectors.rows == 0) return universal.mixture;
  const Gmm& mixture = universal.mixture;
  const Adaptation adaptation(options, universal);
  const auto step = [&](const Gmm& current) {
    GmmStatistics statistics(mixture.num_components(), mixture.dim(), mixture.kind());
    statistics.add(current, vectors);
    return adaptation.step(statistics, current.origin());
  };
  Gmm adapted = step(mixture);
  for (int i = 1; i < options.iterations; ++i) adapted = step(adapted);
  return adapted;
}

}  // namespace muster
