// Kernel codebook (van Gemert et al. 2008, EMK 3.1): every vector is shared out over the words by a
// Gaussian of its distance, exp(-|x - w|^2 / (2 sigma^2)) divided by its sum over the words; the
// set's vector is the mean. Cost O(m k d) per set.
#pragma once

#include "muster/codebook/vocabulary.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct KernelCodebookOptions {
  VocabularyOptions vocabulary;
  std::optional<double> sigma;
  PoolingOptions pooling;

  void fields(Fields& f);
};

SetFeature fit_kernel_codebook(const KernelCodebookOptions& options, const Sample& sample, Rng rng,
                               const Progress& progress);
SetFeature load_kernel_codebook(const KernelCodebookOptions& options, const TensorReader& in);

}  // namespace muster
