// PCA: y = B (x - mean), B the eigenvectors of the covariance of a sample with the largest
// eigenvalues (PMK 5, UGM 4.1, GEN 3.2.1). Fit: O(n d^2 + d^3); apply: O(m d dim) per set.
#pragma once

#include <memory>

#include "muster/core/options.h"
#include "muster/reduce/reducer.h"

namespace muster {

struct PcaOptions {
  int dim = 50;
  bool whiten = false;
  int samples = 100000;

  void fields(Fields& f) {
    f("dim", dim, "dimensions to keep, at most as many as the vectors have")
        .range(1, 65536)
        .paper("GEN 3.2.1, UGM 4.1");
    f("whiten", whiten, "scale every kept dimension to unit variance");
    f("samples", samples, "number of training vectors that it is learned from (about)")
        .range(1, 100000000);
  }
};

// Signs are fixed (the largest component of a direction is positive), so a fit is reproducible.
std::unique_ptr<Reducer> fit_pca(const PcaOptions& options, const Sample& sample);
std::unique_ptr<Reducer> load_pca(const PcaOptions& options, const TensorReader& in);

}  // namespace muster
