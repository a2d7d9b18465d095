// The mean of the set's vectors: out = sum_x x / |X|. Of the cells of a neural network's last map
// it is what the network itself would classify (global average pooling); the signed square root is
// taken and the result scaled to length 1 (power and l2 of the pooling options). Nothing is learned
// but the width of the vectors. Cost O(m d) per set.
#pragma once

#include "muster/setfeature/set_feature.h"

namespace muster {

struct MeanOptions {
  PoolingOptions pooling{.power = 0.5, .l2 = true};

  void fields(Fields& f) { pooling.fields(f); }
};

SetFeature fit_mean(const MeanOptions& options, const Sample& sample, Rng rng,
                    const Progress& progress);
SetFeature load_mean(const MeanOptions& options, const TensorReader& in);

}  // namespace muster
