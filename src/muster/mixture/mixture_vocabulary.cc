#include "muster/mixture/mixture_vocabulary.h"

#include "muster/codebook/per_category.h"

namespace muster {

void MixtureVocabularyOptions::fields(Fields& f) {
  GmmOptions::fields(f);
  per_category_field(f, per_category);
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
  const std::vector<Matrix<float>> categories = vectors_by_category(stage, sample);
  std::vector<double> weights, means, covariances;
  std::vector<std::vector<double>> objectives;
  for (size_t c = 0; c < categories.size(); ++c) {
    GmmOptions own = options;
    own.components = even_share(options.components, c, categories.size());
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
