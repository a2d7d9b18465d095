#include "muster/density/adapted_sets.h"

#include <cmath>

#include "muster/core/stored_starts.h"

namespace muster {
namespace {

void round_to_single(Matrix<double>& values) {
  for (double& value : values.values()) value = static_cast<float>(value);
}

// Diagonal mixtures only: the rounding could leave a full covariance without a factor.
Gmm rounded(const Gmm& mixture) {
  if (mixture.kind() == CovarianceKind::kFull) return mixture;
  Matrix<double> means = mixture.means(), variances = mixture.covariances();
  round_to_single(means);
  round_to_single(variances);
  return Gmm(mixture.weights(), std::move(means), std::move(variances), mixture.kind());
}

Gmm fit_alone(const AdaptedSetsOptions& options, const Universal& universal, const VectorSet& set) {
  const size_t d = universal.mixture.dim();
  GmmOptions shape;
  shape.components =
      static_cast<int>(std::min(static_cast<size_t>(options.universal.components), set.size()));
  shape.covariance = universal.mixture.kind();
  shape.init = GmmInit::kSplit;  // no random numbers, so the order of the vectors does not matter
  shape.prior = GmmPriorKind::kNone;
  shape.iterations = options.universal.em_iterations;
  shape.floor = 1;
  // Of these moments only the floors matter.
  Moments whole{std::vector<double>(d), Matrix<double>(d, d)};
  for (const float* x = set.vectors.data(); x != set.vectors.data() + set.vectors.size();)
    for (size_t t = 0; t < d; ++t) whole.mean[t] += *x++ / static_cast<double>(set.size());
  for (size_t t = 0; t < d; ++t) whole.covariance(t, t) = universal.floors[t];
  return fit_gmm(shape, set.vectors, whole, Rng(0)).mixture;
}

void require_consistent(const char* stage, const AdaptedSetsOptions& options) {
  if (options.estimate == Estimate::kMle && options.mapping == Mapping::kOneToOne)
    throw usage_error(
        "{}: option mapping=one-to-one needs Gaussians that correspond, and those of estimate=mle "
        "do not; set mapping=one-to-many or estimate=map",
        stage);
}

}  // namespace

void AdaptedSetsOptions::fields(Fields& f, bool matched) {
  universal.fields(f);
  f.choice("covariance", covariance, {"diag", "full"}, "covariances of the Gaussians")
      .paper("UGM 2");
  f.choice("estimate", estimate, {"map", "mle"},
           "mixture of a set: adapted from the universal one, or learned from the set alone")
      .paper("UGM 4.2.1");
  adapt.fields(f);
  std::vector<std::string> mappings = {"one-to-one", "one-to-many", "monte-carlo"};
  if (matched) mappings.push_back("matched");
  f.choice("mapping", mapping, std::move(mappings),
           "which Gaussians of two sets are compared, or random vectors drawn from both mixtures")
      .paper("UGM 3");
  f("draws", draws, "mapping=monte-carlo: vectors drawn from each mixture").range(1, 1e7);
}

AdaptedSets::AdaptedSets(const char* stage, const AdaptedSetsOptions& options, const Sample& sample,
                         Rng rng, const Progress& progress)
    : options_(options) {
  require_consistent(stage, options);
  universal_ = std::make_shared<const Universal>(
      fit_universal(options.universal, options.covariance, sample.vectors, rng, progress));
}

AdaptedSets::AdaptedSets(const char* stage, const AdaptedSetsOptions& options, Universal universal)
    : AdaptedSets(options, std::move(universal)) {
  require_consistent(stage, options);
  require_universal(stage, options.universal, options.covariance, *universal_);
}

AdaptedSets AdaptedSets::load(const AdaptedSetsOptions& options, const TensorReader& in) {
  Universal universal = Universal::load(in.scope("universal"));
  in.require(universal.mixture.kind() == options.covariance || universal.mixture.dim() == 1,
             "covariances of another kind");
  return AdaptedSets(options, std::move(universal));
}

Gmm AdaptedSets::fit(const VectorSet& set) const {
  MUSTER_CHECK(set.size() == 0 || set.dim() == dim());
  if (set.size() == 0) return rounded(universal_->mixture);
  if (options_.estimate == Estimate::kMle) return rounded(fit_alone(options_, *universal_, set));
  return rounded(adapt(options_.adapt, *universal_, set.vectors));
}

// With adapted means only, weights and covariances are those of the universal mixture.
void AdaptedSets::save_mixtures(RepresentedSpan sets, const TensorWriter& out) const {
  std::vector<int64_t> starts{0};
  std::vector<double> weights;
  std::vector<float> means, variances;
  std::vector<double> exact_means, covariances;
  const bool full = kind() == CovarianceKind::kFull;
  const auto append = [](auto& to, const Matrix<double>& from) {
    to.insert(to.end(), from.values().begin(), from.values().end());
  };
  for (const auto& set : sets) {
    const Gmm* mixture = &dynamic_cast<const AdaptedSet&>(*set).mixture;
    starts.push_back(starts.back() + static_cast<int64_t>(mixture->num_components()));
    full ? append(exact_means, mixture->means()) : append(means, mixture->means());
    if (only_means()) continue;
    weights.insert(weights.end(), mixture->weights().begin(), mixture->weights().end());
    full ? append(covariances, mixture->covariances()) : append(variances, mixture->covariances());
  }
  out.put("starts", starts);
  const auto matrix = [&](const char* name, auto& values) {
    using T = std::remove_cvref_t<decltype(values[0])>;
    out.put(name, MatrixView<const T>(values.data(), values.size() / dim(), dim()));
  };
  full ? matrix("means", exact_means) : matrix("means", means);
  if (only_means()) return;
  out.put("weights", weights);
  full ? matrix("covariances", covariances) : matrix("covariances", variances);
}

std::vector<Gmm> AdaptedSets::load_mixtures(const TensorReader& in) const {
  const bool full = kind() == CovarianceKind::kFull;
  const auto matrix = [&](const char* name) {
    if (full) return in.matrix<double>(name);
    const Matrix<float> stored = in.matrix<float>(name);
    Matrix<double> out(stored.rows(), stored.cols());
    std::ranges::copy(stored.values(), out.data());
    return out;
  };
  const Matrix<double> means = matrix("means");
  const size_t total = means.rows();
  const std::vector<size_t> starts = load_starts(in, total);
  in.require(means.cols() == dim() || total == 0, "Gaussians of another dimension");
  std::vector<double> weights;
  Matrix<double> covariances;
  const size_t rows = full ? dim() : 1;  // of a covariance
  if (!only_means()) {
    weights = in.values<double>("weights");
    covariances = matrix("covariances");
    in.require(weights.size() == means.rows() && covariances.rows() == rows * means.rows() &&
                   (covariances.cols() == dim() || total == 0),
               "covariances of another size than the means");
  }
  const Gmm universal = rounded(universal_->mixture);
  std::vector<Gmm> out;
  for (size_t s = 0; s + 1 < starts.size(); ++s) {
    in.require(starts[s] < starts[s + 1], "bounds of the stored sets");
    const size_t begin = starts[s], count = starts[s + 1] - begin;
    in.require(options_.estimate == Estimate::kMle || count == universal.num_components(),
               "an adapted mixture of another size");
    Matrix<double> own_means(means.view().slice_rows(begin, count));
    if (only_means()) {
      out.emplace_back(universal.weights(), std::move(own_means), universal.covariances(), kind());
      continue;
    }
    Matrix<double> own(covariances.view().slice_rows(begin * rows, count * rows));
    for (size_t m = 0; m < count; ++m)
      in.require(full ? is_positive_definite(own.view().slice_rows(m * rows, rows))
                      : std::ranges::all_of(own.row(m),
                                            [](double v) { return std::isfinite(v) && v > 0; }),
                 "a covariance that is not positive definite");
    out.emplace_back(std::vector<double>(weights.data() + begin, weights.data() + begin + count),
                     std::move(own_means), std::move(own), kind());
  }
  return out;
}

Represented AdaptedKernel::load_represented(const TensorReader& in) const {
  Represented out;
  for (Gmm& mixture : sets_.load_mixtures(in)) out.push_back(make_ready(std::move(mixture)));
  return out;
}

}  // namespace muster
