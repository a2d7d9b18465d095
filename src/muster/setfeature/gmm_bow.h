// Bag of Gaussians: the mean responsibilities of a mixture's components for the vectors of a set
// (GEN 3, "summed responsibility"):
//
//   h_m(X) = 1 / |X| sum_x P(m | x)
//
// A histogram whose bins have shapes of their own and soft borders. Non-negative, adds up to 1.
// Cost O(m k d) per set with diagonal covariances, O(m k d^2) with full ones.
#pragma once

#include "muster/mixture/mixture_vocabulary.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct GmmBowOptions {
  MixtureVocabularyOptions vocabulary;
  int samples = 100000;
  PoolingOptions pooling;

  void fields(Fields& f) {
    vocabulary.fields(f);
    f("samples", samples, "about how many training vectors the mixture is learned from")
        .range(1, 1e9);
    pooling.fields(f);
  }
};

SetFeature fit_gmm_bow(const GmmBowOptions& options, const Sample& sample, Rng rng,
                       const Progress& progress);
SetFeature load_gmm_bow(const GmmBowOptions& options, const TensorReader& in);

}  // namespace muster
