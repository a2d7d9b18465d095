// Vocabularies of visual words or Gaussians learnt from a labelled sample: all at once, or for each
// category on its own vectors and then joined (GEN 3.3), which keeps words that tell categories
// apart.
#pragma once

#include "muster/codebook/gmm_fit.h"
#include "muster/codebook/kmeans.h"
#include "muster/core/vector_set.h"

namespace muster {

struct VocabularyOptions : KMeansOptions {
  bool per_category = false;

  void fields(Fields& f);
};

struct MixtureVocabularyOptions : GmmOptions {
  bool per_category = false;

  void fields(Fields& f);
};

struct MixtureVocabulary {
  Gmm mixture;
  // Of each mixture that was joined.
  std::vector<std::vector<double>> objective_per_iteration;
};

// per_category: `words` are shared out evenly over the categories that have vectors, at least one
// each; vectors without a label take no part. A sample without labels is then a usage error in the
// name of `stage`. The error of joined words is the mean over all vectors of the distance to the
// nearest word of their category.
KMeans fit_vocabulary(std::string_view stage, const VocabularyOptions& options,
                      const Sample& sample, const Rng& rng, const Progress& progress);

// As above; the weights of joined mixtures are divided by the number of categories. Prior and
// variance floor always come from the whole sample (GEN 3.4.2).
MixtureVocabulary fit_mixture_vocabulary(std::string_view stage,
                                         const MixtureVocabularyOptions& options,
                                         const Sample& sample, const Rng& rng,
                                         const Progress& progress);

}  // namespace muster
