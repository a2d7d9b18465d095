// The pyramid match kernel (PMK 3.1, eqs 3 to 8): with H_i(X) the histogram of X over bins of side
// 2^i and I_i = sum_bins min(H_i(X), H_i(Y)),
//
//   K~(X, Y) = sum_{i=0}^{L} 2^-i (I_i - I_{i-1}),   I_{-1} = 0
//
// summed over `pyramids` grids that are shifted at random; level L is the first at which one bin
// holds everything. normalise=min divides by min(|X|, |Y|) (not always positive semi-definite),
// normalise=self by sqrt(K~(X,X) K~(Y,Y)); K~(X, X) is |X| per pyramid. distance=true has weights
// 2^i instead: about the cost of matching the smaller set, and not a kernel. An empty set has
// kernel and distance 0 with everything. Thread-safe. Cost: O(m d log D) and a radix sort per set;
// a Gram matrix takes one sort of all bins, then the bins that two sets share (shared_bins.h).
// Memory O(m d log D) bits per set. Exact: whole numbers over powers of two.
#pragma once

#include "muster/core/options.h"
#include "muster/core/rng.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class PmkNormalise { kNone, kMin, kSelf };

struct PmkOptions {
  int pyramids = 1;
  bool shift = true;
  PmkNormalise normalise = PmkNormalise::kSelf;
  std::optional<double> scale;
  bool distance = false;

  void fields(Fields& f) {
    f("pyramids", pyramids, "T: pyramids over grids shifted at random, summed")
        .range(1, 1000)
        .paper("PMK 3.1");
    f("shift", shift, "shift each grid at random; if false, all pyramids are the same")
        .paper("PMK 3.1");
    f.choice("normalise", normalise, {"none", "min", "self"},
             "divide by the size of the smaller set, or by the root of both self-similarities")
        .paper("PMK 3.1");
    f("scale", scale,
      "vectors times this are rounded down to whole numbers, the finest bins; auto is found by "
      "cross-validation, or is 1 for whole numbers if there are no labels")
        .range(1e-12, 1e12)
        .paper("PMK 3.1");
    f("distance", distance,
      "weights 2^i instead of 2^-i: the cost of the match, which is not for classifiers")
        .paper("PMK 4.1");
  }
  bool is_distance() const { return distance; }
  bool is_mercer() const { return !distance && normalise != PmkNormalise::kMin; }
};

std::shared_ptr<const SetKernel> fit_pmk(const PmkOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress);
std::shared_ptr<const SetKernel> load_pmk(const PmkOptions& options, const TensorReader& in);

}  // namespace muster
