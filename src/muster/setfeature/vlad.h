// VLAD, vectors of locally aggregated descriptors (Jegou et al., CVPR 2010; METHODS 4): for every
// visual word c the sum of what its vectors are off by,
//
//   v_c = sum_{x nearest to c} (x - c)
//
// each scaled to length 1 (intra-normalisation, Arandjelovic & Zisserman, CVPR 2013) or all divided
// by |X|; k d values, then scaled to length 1 (pooling's l2). Cost O(m k d) a set.
#pragma once

#include "muster/codebook/vocabulary.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct VladOptions {
  VladOptions() { vocabulary.words = 64; }

  VocabularyOptions vocabulary;
  bool intra = true;
  PoolingOptions pooling{.l2 = true};

  void fields(Fields& f) {
    vocabulary.fields(f);
    f("intra", intra, "scale the part of each word to length 1");
    pooling.fields(f);
  }
};

SetFeature fit_vlad(const VladOptions& options, const Sample& sample, Rng rng,
                    const Progress& progress);
SetFeature load_vlad(const VladOptions& options, TensorReader in);

}  // namespace muster
