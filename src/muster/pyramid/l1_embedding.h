// The L1 embedding of the earth mover's distance (Indyk & Thaper 2003; the comparison in PMK 4.1):
//
//   d(X, Y) = sum_{i=0}^{L} 2^i |H_i(X) - H_i(Y)|_1,
//
// H_i the histogram over bins of side 2^i, level L the first at which one bin holds all vectors it
// was fitted on; summed over `pyramids` grids shifted at random. A metric that follows the cost of
// the best match if the sets have the same size; surplus vectors of the larger set count at every
// level. A distance, not a kernel. The distance of an empty set depends on the size of the other
// set alone. Thread-safe. Cost as pmk: |a - b| = a + b - 2 min(a, b).
#pragma once

#include "muster/core/options.h"
#include "muster/core/rng.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct L1EmbeddingOptions {
  int pyramids = 1;
  bool shift = true;
  std::optional<double> scale;

  void fields(Fields& f) {
    f("pyramids", pyramids, "embeddings over grids shifted at random, summed")
        .range(1, 1000)
        .paper("PMK 4.1");
    f("shift", shift, "shift each grid at random").paper("PMK 4.1");
    f("scale", scale,
      "vectors times this are rounded down to whole numbers, the finest bins; auto is 1 for whole "
      "numbers, else it gives the widest component 1024 bins")
        .range(1e-12, 1e12)
        .paper("PMK 3.1");
  }
  bool is_distance() const { return true; }
  bool is_mercer() const { return false; }
};

std::shared_ptr<const SetKernel> fit_l1_embedding(const L1EmbeddingOptions& options,
                                                  const Sample& sample, Rng rng,
                                                  const Progress& progress);
std::shared_ptr<const SetKernel> load_l1_embedding(const L1EmbeddingOptions& options,
                                                   const TensorReader& in);

}  // namespace muster
