// Intersections of one sparse histogram with many dense ones at once: the inner loop of Grams of
// histograms that are mostly zeros. The dense ones are transposed, one bin per row of kBlockSets
// values, so that a non-zero bin of the sparse one is a minimum with whole registers and nothing is
// done for its zeros. On the calling thread; sums run over the bins in the order given, so the
// result does not depend on the lane width, nor on which of the two is the sparse one.
#pragma once

#include <cstdint>
#include <span>

#include "muster/core/matrix.h"

namespace muster {

inline constexpr size_t kBlockSets = 32;

// Non-zero bins of one histogram.
struct SparseBins {
  const uint32_t* bins;
  const float* values;
  size_t count;
};

// out(j, s) = sum_k min(block(sparse[j].bins[k], s), sparse[j].values[k]);  block is bins x
// kBlockSets, out is |sparse| x kBlockSets, both packed.
void sparse_minima(MatrixView<const float> block, std::span<const SparseBins> sparse,
                   MatrixView<float> out);

}  // namespace muster
