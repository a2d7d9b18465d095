// A vocabulary of visual words learned from a labelled sample: from all vectors at once, or for
// each category on its own vectors and then joined (GEN 3.3), which keeps words that tell
// categories apart.
#pragma once

#include "muster/codebook/kmeans.h"
#include "muster/core/vector_set.h"

namespace muster {

struct VocabularyOptions : KMeansOptions {
  bool per_category = false;

  void fields(Fields& f);
};

// per_category: `words` are shared out evenly over the categories that have vectors, at least one
// each; vectors without a label take no part. A sample without labels is then a usage error in the
// name of `stage`. The error of joined words is the mean over all vectors of the distance to the
// nearest word of their category.
KMeans fit_vocabulary(std::string_view stage, const VocabularyOptions& options,
                      const Sample& sample, const Rng& rng, const Progress& progress);

}  // namespace muster
