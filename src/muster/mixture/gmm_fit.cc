#include "muster/mixture/gmm_fit.h"

#include <cmath>
#include <numeric>
#include <optional>

#include "muster/cluster/shared_for.h"
#include "muster/codebook/kmeans.h"
#include "muster/core/parallel.h"
#include "muster/math/nearest.h"
#include "muster/mixture/coarse_gmm.h"
#include "muster/mixture/gmm_split.h"

namespace muster {
namespace {

constexpr int kKMeansIterations = 10;
constexpr int kIterationsPerSplit = 5;
constexpr int kMostReseedings = 20;
constexpr double kTiny = 1e-12;
constexpr size_t kMostStripes = 32, kLeastStripes = 4, kVectorsPerStripe = 2048;
constexpr size_t kStripeBytes = size_t{256} << 20;

GmmPriorWeights prior_weights(const GmmOptions& options) {
  return options.prior == GmmPriorKind::kNone ? GmmPriorWeights{0, 0, 0} : options.weights;
}

// The vectors in a number of stripes that depends on sizes only; each is summed on its own, then
// all in order.
template <class Add>
GmmStatistics sum_over_stripes(const GmmStatistics& empty, ConstMatrixView vectors,
                               const Add& add) {
  const size_t bytes = empty.squares.size() * sizeof(double);
  const size_t affordable =
      std::clamp(kStripeBytes / std::max<size_t>(bytes, 1), kLeastStripes, kMostStripes);
  const size_t stripes = std::clamp<size_t>(vectors.rows / kVectorsPerStripe, 1, affordable);
  std::vector<GmmStatistics> parts(stripes, empty);
  const std::vector<SharedRows> sums = {
      [&](size_t s) { return shared_bytes(std::span(&parts[s].num_vectors, 1)); },
      [&](size_t s) { return shared_bytes(std::span(&parts[s].log_likelihood, 1)); },
      [&](size_t s) { return shared_bytes(std::span(parts[s].counts)); },
      [&](size_t s) { return shared_bytes(parts[s].sums.values()); },
      [&](size_t s) { return shared_bytes(parts[s].squares.values()); }};
  shared_for(stripes, 1, sums, [&](size_t s, size_t) {
    const size_t begin = s * vectors.rows / stripes, end = (s + 1) * vectors.rows / stripes;
    add(parts[s], begin, end - begin);
  });
  for (size_t s = 1; s < stripes; ++s) parts[0].add(parts[s]);
  return std::move(parts[0]);
}

GmmStatistics expectation(const Gmm& mixture, ConstMatrixView vectors) {
  const std::optional<CoarseGmm> coarse = CoarseGmm::of(mixture);
  return sum_over_stripes(GmmStatistics(mixture.num_components(), mixture.dim(), mixture.kind()),
                          vectors, [&](GmmStatistics& part, size_t begin, size_t count) {
                            part.add(mixture, vectors.slice_rows(begin, count),
                                     coarse ? &*coarse : nullptr);
                          });
}

// mu and C of one component, relative to the origin.
class ComponentUpdate {
 public:
  ComponentUpdate(const GmmPriorWeights& weights, const Moments& whole,
                  std::span<const double> prior_mean, std::span<const double> floors)
      : weights_(weights), whole_(whole), prior_mean_(prior_mean), floors_(floors) {}

  void mean(double count, std::span<const double> sum, std::span<double> out) const {
    for (size_t t = 0; t < out.size(); ++t)
      out[t] = (sum[t] + weights_.w_mean * prior_mean_[t]) / (count + weights_.w_mean);
  }

  void variances(double count, std::span<const double> sum, std::span<const double> squares,
                 std::span<const double> mean, std::span<double> out) const {
    for (size_t t = 0; t < out.size(); ++t) {
      const double scatter = squares[t] - 2 * mean[t] * sum[t] + count * mean[t] * mean[t];
      const double off = mean[t] - prior_mean_[t];
      out[t] = (scatter + weights_.w_mean * off * off + weights_.w_cov * whole_.covariance(t, t)) /
               (count + weights_.w_cov);
      out[t] = std::max(out[t], floors_[t]);
    }
  }

  void covariance(double count, std::span<const double> sum, MatrixView<const double> squares,
                  std::span<const double> mean, MatrixView<double> out) const {
    for (size_t i = 0; i < mean.size(); ++i)
      for (size_t t = 0; t <= i; ++t) {
        const double scatter =
            squares(i, t) - mean[i] * sum[t] - sum[i] * mean[t] + count * mean[i] * mean[t];
        const double off = (mean[i] - prior_mean_[i]) * (mean[t] - prior_mean_[t]);
        out(i, t) = out(t, i) =
            (scatter + weights_.w_mean * off + weights_.w_cov * whole_.covariance(i, t)) /
            (count + weights_.w_cov);
      }
    floor_covariance(out, floors_);
  }

 private:
  GmmPriorWeights weights_;
  const Moments& whole_;
  std::span<const double> prior_mean_, floors_;
};

// log prior up to a constant: w_p log w - 1/2 w_mean (mu - nu)' C^-1 (mu - nu) - 1/2 w_cov (log|C|
// + tr(C^-1 Sigma0))
double log_prior(const GmmPriorWeights& weights, const Gmm& mixture, const Moments& whole) {
  if (weights.w_p == 0 && weights.w_mean == 0 && weights.w_cov == 0) return 0;
  const size_t d = mixture.dim();
  double total = 0;
  for (size_t m = 0; m < mixture.num_components(); ++m) {
    double log_det = 0, distance = 0, trace = 0;
    const auto off = [&](size_t t) { return mixture.means()(m, t) - whole.mean[t]; };
    if (mixture.kind() == CovarianceKind::kDiagonal) {
      for (size_t t = 0; t < d; ++t) {
        const double variance = mixture.covariances()(m, t);
        log_det += std::log(variance);
        distance += off(t) * off(t) / variance;
        trace += whole.covariance(t, t) / variance;
      }
    } else {
      const Whitening whitening = whiten(mixture.covariance(m));
      log_det = whitening.log_det;
      for (size_t i = 0; i < d; ++i) {
        double projected = 0;
        for (size_t t = 0; t <= i; ++t) {
          projected += whitening.inverse_factor(i, t) * off(t);
          double product = 0;
          for (size_t u = 0; u <= i; ++u)
            product += whitening.inverse_factor(i, u) * whole.covariance(u, t);
          trace += product * whitening.inverse_factor(i, t);
        }
        distance += projected * projected;
      }
    }
    if (weights.w_p > 0) total += weights.w_p * std::log(mixture.weights()[m]);
    total -= 0.5 * (weights.w_mean * distance + weights.w_cov * (log_det + trace));
  }
  return total;
}

GmmFit run_em(const GmmOptions& options, Gmm start, ConstMatrixView vectors, const Moments& whole,
              int iterations, ProgressStep& step) {
  GmmFit fit{start, {}, 0};
  Gmm current = std::move(start);
  std::optional<Gmm> before_reseeding;
  int reseedings_left = kMostReseedings;
  const auto n = static_cast<double>(vectors.rows);
  for (int i = 0; i <= iterations; ++i) {
    const GmmStatistics statistics = expectation(current, vectors);
    const double objective =
        (statistics.log_likelihood + log_prior(prior_weights(options), current, whole)) / n;
    step.tick();
    if (!fit.objective_per_iteration.empty()) {
      const double gain = objective - fit.objective_per_iteration.back();
      if (gain < 0 && before_reseeding) {  // the new component gains nothing: go on without it
        current = *std::move(before_reseeding);
        before_reseeding.reset();
        reseedings_left = 0;
        continue;
      }
      if (gain < 0) break;
      fit.objective_per_iteration.push_back(objective);
      fit.mixture = current;
      if (gain < options.tolerance && !before_reseeding) break;
    } else {
      fit.objective_per_iteration.push_back(objective);
    }
    if (i == iterations) break;
    current = maximise(options, statistics, current, whole);
    before_reseeding.reset();
    if (reseedings_left-- <= 0) continue;
    if (std::optional<Gmm> revived = reseed_dead(current, n, &fit.reseeded)) {
      before_reseeding = std::move(current);
      current = *std::move(revived);
    }
  }
  return fit;
}

Gmm hard_mixture(const GmmOptions& options, ConstMatrixView vectors, const Matrix<float>& centres,
                 const Moments& whole) {
  std::vector<uint32_t> nearest(vectors.rows);
  const std::vector<float> half_norms = half_squared_norms(centres);
  // Only its origin and its means (for components nobody is nearest to) count.
  Matrix<double> means(centres.rows(), centres.cols());
  std::ranges::copy(centres.values(), means.data());
  const size_t rows = options.covariance == CovarianceKind::kFull ? centres.cols() : 1;
  const std::vector<double> spread = variance_floors(whole, 1);
  Matrix<double> covariances(centres.rows() * rows, centres.cols());
  for (size_t r = 0; r < covariances.rows(); ++r)
    for (size_t t = 0; t < covariances.cols(); ++t)
      if (rows == 1 || r % rows == t) covariances(r, t) = spread[t];
  const Gmm shape(std::vector<double>(centres.rows(), 1.0 / static_cast<double>(centres.rows())),
                  std::move(means), std::move(covariances), options.covariance);
  const GmmStatistics statistics = sum_over_stripes(
      GmmStatistics(centres.rows(), centres.cols(), options.covariance), vectors,
      [&](GmmStatistics& part, size_t begin, size_t count) {
        const auto assigned = std::span(nearest).subspan(begin, count);
        find_nearest(vectors.slice_rows(begin, count), centres, half_norms, assigned);
        part.add_assigned(shape.origin(), vectors.slice_rows(begin, count), assigned);
      });
  return maximise(options, statistics, shape, whole);
}

Gmm mixture_from_kmeans(const GmmOptions& options, ConstMatrixView vectors, const Moments& whole,
                        const Rng& rng) {
  KMeansOptions kmeans;
  kmeans.words = options.components;
  kmeans.iterations = kKMeansIterations;
  return hard_mixture(options, vectors, fit_kmeans(kmeans, vectors, rng).centres, whole);
}

Gmm mixture_by_splitting(const GmmOptions& options, ConstMatrixView vectors, const Moments& whole,
                         ProgressStep& step) {
  Matrix<float> centre(1, vectors.cols);
  std::ranges::copy(whole.mean, centre.data());
  Gmm mixture = hard_mixture(options, vectors, centre, whole);
  const auto target = static_cast<size_t>(options.components);
  while (mixture.num_components() < target) {
    mixture = split_components(mixture, target);
    if (mixture.num_components() == target) break;
    mixture =
        run_em(options, std::move(mixture), vectors, whole, kIterationsPerSplit, step).mixture;
  }
  return mixture;
}

int rounds_of_splitting(const GmmOptions& options) {
  if (options.init == GmmInit::kKMeans) return 0;
  int rounds = 0;
  for (int k = 2; k < options.components; k *= 2) ++rounds;
  return rounds;
}

}  // namespace

void prior_gaussian_fields(Fields& f, double& w_mean, double& w_cov, const char* paper) {
  constexpr double kLargest = 1e12;
  f("w_mean", w_mean, "prior: weight of the training sample's mean, in vectors")
      .range(0, kLargest)
      .paper(paper);
  f("w_cov", w_cov, "prior: weight of the training sample's covariance, in vectors")
      .range(0, kLargest)
      .paper(paper);
}

void GmmPriorWeights::fields(Fields& f) {
  f("w_p", w_p, "prior: weight of equal component weights, in vectors per component")
      .range(0, 1e12)
      .paper("GEN 3.1.1");
  prior_gaussian_fields(f, w_mean, w_cov, "GEN 3.1.1");
}

void GmmOptions::fields(Fields& f) {
  f("components", components, "number of Gaussians").range(1, 100000).paper("GEN 3.4.2, UGM 4.1");
  f.choice("covariance", covariance, {"diag", "full"}, "covariances of the Gaussians")
      .paper("GEN 3");
  f.choice("init", init, {"kmeans", "split"},
           "first mixture: from k-means, or one Gaussian split again and again")
      .paper("GEN 3.1, UGM 4.1");
  f.choice("prior", prior, {"none", "sample"},
           "none is maximum likelihood, sample the Gaussian of the training sample")
      .paper("GEN 3.1");
  weights.fields(f);
  f("iterations", iterations, "largest number of EM iterations").range(1, 10000);
  f("tolerance", tolerance, "stop when an iteration gains less than this, in nats per vector")
      .range(0, 100);
  f("floor", floor, "least variance, as a share of the whole sample's in that dimension")
      .range(1e-9, 1);
}

Gmm maximise(const GmmOptions& options, const GmmStatistics& statistics, const Gmm& previous,
             const Moments& whole) {
  const size_t k = previous.num_components(), d = previous.dim();
  const GmmPriorWeights prior = prior_weights(options);
  const std::vector<double> floors = variance_floors(whole, options.floor);
  std::vector<double> prior_mean(d);
  for (size_t t = 0; t < d; ++t) prior_mean[t] = whole.mean[t] - previous.origin()[t];
  const ComponentUpdate update(prior, whole, prior_mean, floors);
  std::vector<double> weights(k);
  Matrix<double> means = previous.means(), covariances = previous.covariances();
  // Of the counts themselves, so that the weights add up to 1 in spite of rounded responsibilities.
  const double all = std::accumulate(statistics.counts.begin(), statistics.counts.end(), 0.0) +
                     static_cast<double>(k) * prior.w_p;
  parallel_for(k, 1, [&](size_t m, size_t) {
    const double count = statistics.counts[m];
    weights[m] = all > 0 ? (count + prior.w_p) / all : 1 / static_cast<double>(k);
    // A component without vectors or prior stays as it is.
    if (count + prior.w_mean < kTiny || count + prior.w_cov < kTiny) return;
    std::vector<double> mean(d);
    update.mean(count, statistics.sums.row(m), mean);
    if (previous.kind() == CovarianceKind::kDiagonal)
      update.variances(count, statistics.sums.row(m), statistics.squares.row(m), mean,
                       covariances.row(m));
    else
      update.covariance(count, statistics.sums.row(m),
                        statistics.squares.view().slice_rows(m * d, d), mean,
                        covariances.view().slice_rows(m * d, d));
    for (size_t t = 0; t < d; ++t) means(m, t) = mean[t] + previous.origin()[t];
  });
  return Gmm(std::move(weights), std::move(means), std::move(covariances), previous.kind());
}

GmmFit fit_gmm(const GmmOptions& options, ConstMatrixView vectors, const Moments& whole, Rng rng,
               const Progress& progress) {
  if (vectors.rows == 0)
    throw data_error(
        "gmm: there are no vectors to learn {} Gaussians from, because the training items gave no "
        "features",
        options.components);
  const int all_iterations =
      options.iterations + 1 + rounds_of_splitting(options) * (kIterationsPerSplit + 1);
  ProgressStep step(progress, "mixture", static_cast<size_t>(all_iterations));
  Gmm start = options.init == GmmInit::kKMeans
                  ? mixture_from_kmeans(options, vectors, whole, rng.derive("kmeans"))
                  : mixture_by_splitting(options, vectors, whole, step);
  return run_em(options, std::move(start), vectors, whole, options.iterations, step);
}

GmmFit refine_gmm(const GmmOptions& options, Gmm start, ConstMatrixView vectors,
                  const Moments& whole, const Progress& progress) {
  MUSTER_CHECK(vectors.rows > 0 && start.kind() == options.covariance);
  ProgressStep step(progress, "mixture", static_cast<size_t>(options.iterations + 1));
  return run_em(options, std::move(start), vectors, whole, options.iterations, step);
}

}  // namespace muster
