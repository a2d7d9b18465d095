// VLAD, vectors of locally aggregated descriptors (Jegou et al., CVPR 2010, section 3): for every
// visual word c the sum of the differences between its vectors and c,
//
//   v_c = sum_{x nearest to c} (x - c)
//
// each scaled to length 1 (intra-normalisation, Arandjelovic & Zisserman, CVPR 2013) or all divided
// by |X|; k d values, then scaled to length 1 (l2 of the pooling options). Cost O(m k d) per set.
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
SetFeature load_vlad(const VladOptions& options, const TensorReader& in);

}  // namespace muster
