// Learning a mixture of Gaussians: EM, or MAP-EM with a conjugate prior taken from one Gaussian
// (GEN 3.1, eqs 10-12, METHODS 3). With r the responsibilities of component m, N_m their sum, N the
// number of vectors, nu and Sigma0 the mean and covariance of the whole training sample,
//
//   w_m  = (N_m + w_p) / (N + k w_p)
//   mu_m = (sum_x r x + w_mean nu) / (N_m + w_mean)
//   C_m  = (sum_x r (x - mu_m)(x - mu_m)' + w_mean (mu_m - nu)(mu_m - nu)' + w_cov Sigma0)
//          / (N_m + w_cov)
//
// Each iteration is one pass over the vectors by matrix products and keeps sums only. What is
// maximised (the log likelihood, with a prior the log posterior) never falls: variances are floored
// by the constrained maximiser, a re-seeded component that does not pay is taken back, and the fit
// ends where rounding would lower it. The same for any number of threads.
#pragma once

#include "muster/core/options.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"
#include "muster/mixture/gmm.h"

namespace muster {

enum class GmmInit { kKMeans, kSplit };
enum class GmmPriorKind { kNone, kSample };

// Weights of a prior Gaussian, in vectors' worth; all 0 is maximum likelihood.
struct GmmPriorWeights {
  double w_p = 0;
  double w_mean = 0.1;
  double w_cov = 10;

  void fields(Fields& f);
};

struct GmmOptions {
  int components = 100;
  CovarianceKind covariance = CovarianceKind::kDiagonal;
  GmmInit init = GmmInit::kKMeans;
  GmmPriorKind prior = GmmPriorKind::kSample;
  GmmPriorWeights weights;
  int iterations = 30;
  // Stops when an iteration raises the objective by less than this, in nats a vector.
  double tolerance = 1e-3;
  // Least variance in a dimension, as a share of the whole sample's.
  double floor = 1e-3;

  void fields(Fields& f);
};

struct GmmFit {
  Gmm mixture;
  // Log likelihood or log posterior a vector: of the first mixture, then after each iteration.
  // Never falls.
  std::vector<double> objective_per_iteration;
  int reseeded = 0;
};

// `whole` is the sample that prior and floors come from: the one fitted, or a larger one that it is
// part of. Requires at least one vector. Where the vectors have fewer distinct values than
// `components`, there may be fewer components.
GmmFit fit_gmm(const GmmOptions& options, ConstMatrixView vectors, const Moments& whole, Rng rng,
               const Progress& progress = {});

// The same from a mixture that is given; options say nothing about the first mixture then. Its
// covariances must keep the floor for the objective to be sure not to fall.
GmmFit refine_gmm(const GmmOptions& options, Gmm start, ConstMatrixView vectors,
                  const Moments& whole, const Progress& progress = {});

// One M step: the mixture that maximises what `statistics` (collected with `previous`) say.
Gmm maximise(const GmmOptions& options, const GmmStatistics& statistics, const Gmm& previous,
             const Moments& whole);

}  // namespace muster
