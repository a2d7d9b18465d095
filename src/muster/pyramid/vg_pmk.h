// The vocabulary-guided pyramid match: bins are the nodes of a hierarchical k-means tree instead of
// cubes, for vectors of more than about ten dimensions (Grauman & Darrell, Approximate
// correspondences in high dimensions, NIPS 2006). With n_v(X) the vectors of X in node v,
//
//   K~(X, Y) = sum_v w_v [ min(n_v(X), n_v(Y)) - sum_{children c} min(n_c(X), n_c(Y)) ]
//
// weights=global: w_v = r_root / r_v, r_v the largest distance to the centre of v among the vectors
// it was fitted on (never less than a child's): a Mercer kernel, since weights only fall towards
// the root. weights=input: w_v = r_root / (r_v(X) + r_v(Y)), from the two sets themselves; not
// always a Mercer kernel. weights=level: w_v = 2^-height, as in pmk. Normalised as pmk is. An empty
// set has kernel 0 with everything. Thread-safe. Cost: O(m branch levels d) per set; for a Gram
// matrix the nodes that two sets share (shared_bins.h), with weights=input a merge of two lists per
// pair.
#pragma once

#include "muster/codebook/kmeans_tree.h"
#include "muster/pyramid/pmk.h"

namespace muster {

enum class BinWeights { kGlobal, kInput, kLevel };

struct VgPmkOptions {
  KMeansTreeOptions tree;
  BinWeights weights = BinWeights::kGlobal;
  PmkNormalise normalise = PmkNormalise::kSelf;

  void fields(Fields& f) {
    tree.fields(f);
    f.choice("weights", weights, {"global", "input", "level"},
             "weight of a match: by the node's radius in training, by the radii of the two sets in "
             "it, or 2^-height");
    f.choice("normalise", normalise, {"none", "min", "self"},
             "divide by the size of the smaller set, or by the root of both self-similarities")
        .paper("PMK 3.1");
  }
  bool is_distance() const { return false; }
  bool is_mercer() const {
    return weights != BinWeights::kInput && normalise != PmkNormalise::kMin;
  }
};

std::shared_ptr<const SetKernel> fit_vg_pmk(const VgPmkOptions& options, const Sample& sample,
                                            Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_vg_pmk(const VgPmkOptions& options, const TensorReader& in);

}  // namespace muster
