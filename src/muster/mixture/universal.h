// The universal mixture: a mixture of Gaussians that describes the vectors of any set, learned once
// from a sample of many (UGM 2.1). Sets are described relative to it: by adapted copies of it
// (adapt.h), or by how they would move its parameters (fisher, supervector). It grows by splitting
// (UGM 4.1), has no prior, and no variance below `floor` of the whole sample's: patches without
// gradient would otherwise make a Gaussian of hardly any width, beside which all others vanish.
#pragma once

#include <string_view>

#include "muster/core/vector_set.h"
#include "muster/mixture/gmm_fit.h"

namespace muster {

struct UniversalOptions {
  int components = 128;
  GmmInit init = GmmInit::kSplit;
  int em_iterations = 20;
  double floor = 0.01;
  int samples = 100000;

  void fields(Fields& f);
};

// Immutable and shareable between threads.
struct Universal {
  Gmm mixture;
  // The least variance in each dimension, of this mixture and of those adapted from it.
  std::vector<double> floors;

  void save(const TensorWriter& out) const;
  static Universal load(const TensorReader& in);
};

// A sample without vectors is a data error. The same for any number of threads. If the sample has
// fewer distinct vectors than `components`, there may be fewer components.
Universal fit_universal(const UniversalOptions& options, CovarianceKind covariance,
                        ConstMatrixView sample, Rng rng, const Progress& progress);

// Throws a usage error in the name of `stage` if a mixture learned elsewhere is not what the
// options ask for.
void require_universal(std::string_view stage, const UniversalOptions& options,
                       CovarianceKind covariance, const Universal& universal);

}  // namespace muster
