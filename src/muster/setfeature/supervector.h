// Supervector: the means of a universal mixture adapted to a set, one step of MAP with relevance
// factor tau (UGM 2.2, eq 7; Campbell, Sturim & Reynolds 2006):
//
//   out_m = sqrt(w_m) (mu_m(X) - mu_m) / sigma_m
//         = sqrt(w_m) / (N_m + tau) sum_x P(m | x) (x - mu_m) / sigma_m,   N_m = sum_x P(m | x)
//
// k d values. Squared distances between two such vectors are the symmetric Kullback-Leibler
// divergence (one-to-one, UGM eqs 18-19) of the two mixtures with adapted means. Diagonal
// covariances. Cost O(m k d) per set, by two matrix products.
#pragma once

#include "muster/mixture/universal.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct SupervectorOptions {
  UniversalOptions universal;
  double tau = 10;
  PoolingOptions pooling;

  void fields(Fields& f);
};

SetFeature fit_supervector(const SupervectorOptions& options, const Sample& sample, Rng rng,
                           const Progress& progress);
SetFeature load_supervector(const SupervectorOptions& options, const TensorReader& in);
// From a mixture learned elsewhere; one that the options do not describe is a usage error.
SetFeature make_supervector(const SupervectorOptions& options, Universal universal);

}  // namespace muster
