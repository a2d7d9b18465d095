#include "muster/mixture/universal.h"

#include <cmath>

namespace muster {

void UniversalOptions::fields(Fields& f) {
  f("components", components, "Gaussians of the universal mixture")
      .range(1, 100000)
      .paper("UGM 4.1");
  f.choice("init", init, {"kmeans", "split"},
           "first mixture: from k-means, or one Gaussian split again and again")
      .paper("UGM 4.1");
  f("em_iterations", em_iterations,
    "largest number of EM iterations of the universal mixture at its full size")
      .range(1, 10000);
  f("floor", floor, "least variance, as a share of the whole sample's in that dimension")
      .range(1e-9, 1);
  f("samples", samples, "about how many training vectors the universal mixture is learned from")
      .range(1, 1e9);
}

void Universal::save(const TensorWriter& out) const {
  mixture.save(out);
  out.put("floors", floors);
}

Universal Universal::load(const TensorReader& in) {
  Universal universal{Gmm::load(in), in.values<double>("floors")};
  in.require(universal.floors.size() == universal.mixture.dim(), "floors of another dimension");
  in.require_input_dim(universal.mixture.dim());
  for (double floor : universal.floors)
    in.require(std::isfinite(floor) && floor > 0, "a floor that is not positive");
  return universal;
}

Universal fit_universal(const UniversalOptions& options, CovarianceKind covariance,
                        ConstMatrixView sample, Rng rng, const Progress& progress) {
  GmmOptions shape;
  shape.components = options.components;
  // In one dimension both kinds are the same, and a stored mixture is read as diagonal.
  shape.covariance = sample.cols == 1 ? CovarianceKind::kDiagonal : covariance;
  shape.init = options.init;
  shape.prior = GmmPriorKind::kNone;
  shape.iterations = options.em_iterations;
  shape.floor = options.floor;
  const Moments whole = sample_moments(sample);
  GmmFit fit = fit_gmm(shape, sample, whole, rng, progress);
  return {std::move(fit.mixture), variance_floors(whole, options.floor)};
}

void require_universal(std::string_view stage, const UniversalOptions& options,
                       CovarianceKind covariance, const Universal& universal) {
  const size_t k = universal.mixture.num_components();
  if (k != static_cast<size_t>(options.components))
    throw usage_error(
        "{}: option components={} does not fit the universal mixture given, which has {}; set "
        "{}.components={} or learn another mixture",
        stage, options.components, k, stage, k);
  if (universal.mixture.kind() != covariance && universal.mixture.dim() > 1)
    throw usage_error(
        "{}: the universal mixture given has {} covariances and {} ones are needed; learn another "
        "mixture",
        stage, universal.mixture.kind() == CovarianceKind::kFull ? "full" : "diagonal",
        covariance == CovarianceKind::kFull ? "full" : "diagonal");
}

}  // namespace muster
