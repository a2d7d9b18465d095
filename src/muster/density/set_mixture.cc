#include "muster/density/set_mixture.h"

#include <cmath>

namespace muster {
namespace {

Gmm gaussian_of(const Moments& moments, const GmmOptions& shape) {
  const size_t d = moments.mean.size();
  const std::vector<double> floors = variance_floors(moments, shape.floor);
  Matrix<double> mean(1, d);
  std::ranges::copy(moments.mean, mean.data());
  Matrix<double> covariance = moments.covariance;
  floor_covariance(covariance, floors);
  if (shape.covariance == CovarianceKind::kDiagonal) {
    Matrix<double> variances(1, d);
    for (size_t t = 0; t < d; ++t) variances(0, t) = covariance(t, t);
    covariance = std::move(variances);
  }
  return Gmm({1.0}, std::move(mean), std::move(covariance), shape.covariance);
}

}  // namespace

void SetGaussianOptions::fields(Fields& f) {
  f.choice("covariance", covariance, {"diag", "full"}, "covariance of a set's Gaussian")
      .paper("GEN 4.3");
  prior_gaussian_fields(f, w_mean, w_cov, "GEN 4.4");
  f("floor", floor, "least variance, as a share of the training sample's in that dimension")
      .range(1e-9, 1);
}

GmmOptions one_gaussian(const SetGaussianOptions& options) {
  GmmOptions shape;
  shape.components = 1;
  shape.covariance = options.covariance;
  shape.init = GmmInit::kSplit;
  shape.weights = {0, options.w_mean, options.w_cov};
  shape.floor = options.floor;
  return shape;
}

SetMixtures::SetMixtures(const GmmOptions& shape, Moments prior)
    : shape_(shape), prior_(std::move(prior)), prior_gaussian_(gaussian_of(prior_, shape)) {
  MUSTER_CHECK(shape.init == GmmInit::kSplit);
}

SetMixtures SetMixtures::load(const GmmOptions& shape, const TensorReader& in) {
  Moments prior{in.values<double>("mean"), in.matrix<double>("covariance")};
  const size_t d = prior.mean.size();
  in.require(d > 0 && prior.covariance.rows() == d && prior.covariance.cols() == d,
             "a prior of another dimension");
  in.require_input_dim(d);
  for (size_t t = 0; t < d; ++t)
    for (size_t u = 0; u <= t; ++u) {
      const double own = prior.covariance(t, t), other = prior.covariance(u, u);
      in.require(own >= 0 && std::abs(prior.covariance(t, u) - prior.covariance(u, t)) <=
                                 1e-9 * (own + other),
                 "a prior that is not a covariance");
    }
  return SetMixtures(shape, std::move(prior));
}

Gmm SetMixtures::fit(const VectorSet& set) const {
  MUSTER_CHECK(set.size() == 0 || set.dim() == dim());
  if (shape_.components > 1 && set.size() >= static_cast<size_t>(shape_.components))
    return fit_gmm(shape_, set.vectors, prior_, Rng(0)).mixture;
  GmmStatistics statistics(1, dim(), kind());
  const std::vector<uint32_t> all_in_one(set.size());
  if (set.size() > 0) statistics.add_assigned(prior_gaussian_.origin(), set.vectors, all_in_one);
  return maximise(shape_, statistics, prior_gaussian_, prior_);
}

void SetMixtures::save(const TensorWriter& out) const {
  out.put("mean", prior_.mean);
  out.put("covariance", prior_.covariance);
}

}  // namespace muster
