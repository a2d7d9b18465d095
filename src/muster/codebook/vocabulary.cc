#include "muster/codebook/vocabulary.h"

#include "muster/math/nearest.h"

namespace muster {
namespace {

constexpr const char* kPerCategoryHelp = "learn from each category on its own, then join";

// The vectors of each category that has any.
std::vector<Matrix<float>> by_category(std::string_view stage, const Sample& sample) {
  std::vector<std::vector<size_t>> rows(static_cast<size_t>(std::max(sample.num_classes, 0)));
  for (size_t i = 0; i < sample.labels.size(); ++i)
    if (sample.labels[i] >= 0) rows[static_cast<size_t>(sample.labels[i])].push_back(i);
  std::vector<Matrix<float>> out;
  for (const std::vector<size_t>& members : rows)
    if (!members.empty()) out.push_back(select_rows(sample.vectors.view(), members));
  if (out.empty() && sample.vectors.rows() > 0)
    throw usage_error(
        "{}: option per_category=true is not allowed: the items have no labels; give labelled "
        "items or set "
        "per_category=false",
        stage);
  return out;
}

// How much of `total` part i of `parts` gets.
int share(int total, size_t i, size_t parts) {
  const auto count = static_cast<int>(parts);
  return std::max(1, total / count + (static_cast<int>(i) < total % count ? 1 : 0));
}

}  // namespace

void VocabularyOptions::fields(Fields& f) {
  KMeansOptions::fields(f);
  f("per_category", per_category, kPerCategoryHelp).paper("GEN 3.3");
}

void MixtureVocabularyOptions::fields(Fields& f) {
  GmmOptions::fields(f);
  f("per_category", per_category, kPerCategoryHelp).paper("GEN 3.3");
}

KMeans fit_vocabulary(std::string_view stage, const VocabularyOptions& options,
                      const Sample& sample, const Rng& rng, const Progress& progress) {
  if (!options.per_category || sample.vectors.rows() == 0)
    return fit_kmeans(options, sample.vectors, rng, progress);
  const std::vector<Matrix<float>> categories = by_category(stage, sample);
  std::vector<KMeans> parts;
  size_t words = 0, vectors = 0;
  double error = 0;
  for (size_t c = 0; c < categories.size(); ++c) {
    KMeansOptions own = options;
    own.words = share(options.words, c, categories.size());
    parts.push_back(fit_kmeans(own, categories[c], rng.derive(c), progress));
    words += parts.back().centres.rows();
    vectors += categories[c].rows();
    error += parts.back().error_per_iteration.back() * static_cast<double>(categories[c].rows());
  }
  KMeans joined{
      Matrix<float>(words, sample.vectors.cols()), {}, {error / static_cast<double>(vectors)}};
  float* next = joined.centres.data();
  for (const KMeans& part : parts) next = std::ranges::copy(part.centres.values(), next).out;
  joined.half_norms = half_squared_norms(joined.centres);
  return joined;
}

MixtureVocabulary fit_mixture_vocabulary(std::string_view stage,
                                         const MixtureVocabularyOptions& options,
                                         const Sample& sample, const Rng& rng,
                                         const Progress& progress) {
  const Moments whole = sample_moments(sample.vectors);
  if (!options.per_category || sample.vectors.rows() == 0) {
    GmmFit fit = fit_gmm(options, sample.vectors, whole, rng, progress);
    return {std::move(fit.mixture), {std::move(fit.objective_per_iteration)}};
  }
  const std::vector<Matrix<float>> categories = by_category(stage, sample);
  std::vector<double> weights, means, covariances;
  std::vector<std::vector<double>> objectives;
  for (size_t c = 0; c < categories.size(); ++c) {
    GmmOptions own = options;
    own.components = share(options.components, c, categories.size());
    const GmmFit fit = fit_gmm(own, categories[c], whole, rng.derive(c), progress);
    for (double weight : fit.mixture.weights())
      weights.push_back(weight / static_cast<double>(categories.size()));
    const auto append = [](std::vector<double>& to, const Matrix<double>& from) {
      to.insert(to.end(), from.values().begin(), from.values().end());
    };
    append(means, fit.mixture.means());
    append(covariances, fit.mixture.covariances());
    objectives.push_back(fit.objective_per_iteration);
  }
  const size_t d = sample.vectors.cols();
  const MatrixView<const double> all_means(means.data(), weights.size(), d);
  const MatrixView<const double> all_covariances(covariances.data(), covariances.size() / d, d);
  return {Gmm(std::move(weights), Matrix<double>(all_means), Matrix<double>(all_covariances),
              options.covariance),
          std::move(objectives)};
}

}  // namespace muster
