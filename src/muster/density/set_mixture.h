// The density of a set: one Gaussian, or a small mixture, fitted to its vectors by MAP with the
// mean nu and covariance Sigma0 of the training sample as prior (GEN 4.3). For one Gaussian and m
// vectors
//
//   mu = (sum x + w_mean nu) / (m + w_mean)
//   C  = (sum (x - mu)(x - mu)' + w_mean (mu - nu)(mu - nu)' + w_cov Sigma0) / (m + w_cov)
//
// so an empty set is the prior itself, and fewer vectors than dimensions, equal vectors or a single
// one give an invertible covariance if w_cov > 0; the variance floor ensures it if w_cov = 0.
#pragma once

#include "muster/core/vector_set.h"
#include "muster/mixture/gmm_fit.h"

namespace muster {

struct SetGaussianOptions {
  CovarianceKind covariance = CovarianceKind::kFull;
  double w_mean = 0.1, w_cov = 10, floor = 1e-4;

  void fields(Fields& f);
};

// Immutable and shareable between threads.
class SetMixtures {
 public:
  // `shape` says all about the mixture of a set; its init must be split, which needs no random
  // numbers and does not depend on the order of the vectors.
  SetMixtures(const GmmOptions& shape, Moments prior);
  static SetMixtures load(const GmmOptions& shape, const TensorReader& in);

  size_t dim() const { return prior_.mean.size(); }
  CovarianceKind kind() const { return shape_.covariance; }
  const std::vector<double>& prior_mean() const { return prior_.mean; }
  // A set with fewer vectors than components gets one Gaussian.
  Gmm fit(const VectorSet& set) const;
  void save(const TensorWriter& out) const;

 private:
  GmmOptions shape_;
  Moments prior_;
  Gmm prior_gaussian_;
};

// One Gaussian per set.
GmmOptions one_gaussian(const SetGaussianOptions& options);

}  // namespace muster
