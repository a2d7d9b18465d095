// Learning a mixture of Gaussians: EM, or MAP-EM with a conjugate prior taken from one Gaussian
// (GEN 3.1, eqs 10-12). With r the responsibilities of component m, N_m their sum, N the
// number of vectors, nu and Sigma0 the mean and covariance of the whole training sample,
//
//   w_m  = (N_m + w_p) / (N + k w_p)
//   mu_m = (sum_x r x + w_mean nu) / (N_m + w_mean)
//   C_m  = (sum_x r (x - mu_m)(x - mu_m)' + w_mean (mu_m - nu)(mu_m - nu)' + w_cov Sigma0)
//          / (N_m + w_cov)
//
// Each iteration is one pass over the vectors by matrix products and keeps sums only. What is
// maximised (the log likelihood, with a prior the log posterior) never falls: variances are floored
// by the constrained maximiser, a component that was seeded again to no gain is taken back, and the
// fit ends when rounding would lower it. The same for any number of threads.
#pragma once

#include "muster/core/options.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"
#include "muster/mixture/gmm.h"

namespace muster {

enum class GmmInit { kKMeans, kSplit };
enum class GmmPriorKind { kNone, kSample };

// The options w_mean and w_cov of all that take the training sample's Gaussian as prior.
void prior_gaussian_fields(Fields& f, double& w_mean, double& w_cov, const char* paper);

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
  // Stops when an iteration raises the objective by less than this, in nats per vector.
  double tolerance = 1e-3;
  // Least variance in a dimension, as a share of the whole sample's.
  double floor = 1e-3;

  void fields(Fields& f);
};

struct GmmFit {
  Gmm mixture;
  // Log likelihood or log posterior per vector: of the first mixture, then after each iteration.
  // Never falls.
  std::vector<double> objective_per_iteration;
  int reseeded = 0;
};

// `whole` is the sample that prior and floors come from: the one fitted, or a larger one that it is
// part of. Requires at least one vector. If there are fewer distinct vectors than `components`,
// there may be fewer components.
GmmFit fit_gmm(const GmmOptions& options, ConstMatrixView vectors, const Moments& whole, Rng rng,
               const Progress& progress = {});

// The same from a mixture that is given; what the options say about the first mixture is ignored.
// Its covariances must keep the floor for the objective to be sure not to fall.
GmmFit refine_gmm(const GmmOptions& options, Gmm start, ConstMatrixView vectors,
                  const Moments& whole, const Progress& progress = {});

// One M step: the mixture that maximises what `statistics` (collected with `previous`) say.
Gmm maximise(const GmmOptions& options, const GmmStatistics& statistics, const Gmm& previous,
             const Moments& whole);

}  // namespace muster
