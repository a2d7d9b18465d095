#include "muster/codebook/vocabulary.h"

#include "muster/codebook/per_category.h"
#include "muster/math/nearest.h"

namespace muster {

void VocabularyOptions::fields(Fields& f) {
  KMeansOptions::fields(f);
  per_category_field(f, per_category);
}

KMeans fit_vocabulary(std::string_view stage, const VocabularyOptions& options,
                      const Sample& sample, const Rng& rng, const Progress& progress) {
  if (!options.per_category || sample.vectors.rows() == 0)
    return fit_kmeans(options, sample.vectors, rng, progress);
  const std::vector<Matrix<float>> categories = vectors_by_category(stage, sample);
  std::vector<KMeans> parts;
  size_t words = 0, vectors = 0;
  double error = 0;
  for (size_t c = 0; c < categories.size(); ++c) {
    KMeansOptions own = options;
    own.words = even_share(options.words, c, categories.size());
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

}  // namespace muster
