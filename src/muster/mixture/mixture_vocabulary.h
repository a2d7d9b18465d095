// A vocabulary of Gaussians learned from a labelled sample: from all vectors at once, or for each
// category on its own vectors and then joined (GEN 3.3).
#pragma once

#include "muster/core/vector_set.h"
#include "muster/mixture/gmm_fit.h"

namespace muster {

struct MixtureVocabularyOptions : GmmOptions {
  bool per_category = false;

  void fields(Fields& f);
};

struct MixtureVocabulary {
  Gmm mixture;
  // Of each mixture that was joined.
  std::vector<std::vector<double>> objective_per_iteration;
};

// per_category: components are shared out over the categories as fit_vocabulary shares out words;
// the weights of joined mixtures are divided by the number of categories. Prior and variance floor
// always come from the whole sample (GEN 3.4.2).
MixtureVocabulary fit_mixture_vocabulary(std::string_view stage,
                                         const MixtureVocabularyOptions& options,
                                         const Sample& sample, const Rng& rng,
                                         const Progress& progress);

}  // namespace muster
