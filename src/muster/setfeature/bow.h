// Bag of words: the histogram of nearest words, divided by the size of the set (EMK section 2, eq
// 1). As a match kernel it counts the pairs of vectors that share a word. Cost O(m k d) per set.
#pragma once

#include "muster/codebook/words.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct BowOptions {
  WordsOptions vocabulary;
  PoolingOptions pooling;

  void fields(Fields& f) { fields_of(f, vocabulary, pooling); }
};

SetFeature fit_bow(const BowOptions& options, const Sample& sample, Rng rng,
                   const Progress& progress);
SetFeature load_bow(const BowOptions& options, const TensorReader& in);

}  // namespace muster
