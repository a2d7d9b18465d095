// Fisher vector: how the vectors of a set would move the means and variances of a universal mixture
// (Perronnin, Sanchez & Mensink, ECCV 2010, section 3). With P(m | x) the responsibilities,
//
//   g_m = 1 / (|X| sqrt(w_m))     sum_x P(m | x) (x - mu_m) / sigma_m
//   h_m = 1 / (|X| sqrt(2 w_m))   sum_x P(m | x) [((x - mu_m) / sigma_m)^2 - 1]
//
// out = [g_1, h_1, g_2, h_2, ...], 2 k d values; the signed square root is taken, and the result is
// scaled to length 1 (power and l2 of the pooling options). Diagonal covariances. Cost O(m k d) per
// set, by two matrix products.
#pragma once

#include "muster/mixture/universal.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct FisherOptions {
  UniversalOptions universal;
  PoolingOptions pooling{.power = 0.5, .l2 = true};

  void fields(Fields& f) { fields_of(f, universal, pooling); }
};

SetFeature fit_fisher(const FisherOptions& options, const Sample& sample, Rng rng,
                      const Progress& progress);
SetFeature load_fisher(const FisherOptions& options, const TensorReader& in);
// From a mixture learned elsewhere; one that the options do not describe is a usage error.
SetFeature make_fisher(const FisherOptions& options, Universal universal);

}  // namespace muster
