#include "muster/reduce/pca.h"

#include "muster/math/covariance.h"
#include "muster/math/symmetric_eigen.h"
#include "muster/reduce/projection.h"

namespace muster {

std::unique_ptr<Reducer> fit_pca(const PcaOptions& options, const Sample& sample) {
  const size_t d = sample.vectors.cols();
  if (sample.vectors.rows() == 0)
    throw data_error(
        "pca: there are no vectors to learn from, because the training items gave no features");
  if (static_cast<size_t>(options.dim) > d)
    throw usage_error(
        "pca: option dim={} is not allowed: the vectors have only {} dimensions; keep at most that "
        "many",
        options.dim, d);
  const Moments moments = sample_moments(sample.vectors);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      covariance(moments.covariance.data(), static_cast<Eigen::Index>(d),
                 static_cast<Eigen::Index>(d));
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  const double largest = std::max(eigen.values[static_cast<Eigen::Index>(d) - 1], 0.0);
  Matrix<float> basis(static_cast<size_t>(options.dim), d);
  for (size_t j = 0; j < basis.rows(); ++j) {
    const auto column = static_cast<Eigen::Index>(d - 1 - j);
    Eigen::VectorXd direction = eigen.vectors.col(column);
    Eigen::Index peak = 0;
    direction.cwiseAbs().maxCoeff(&peak);
    if (direction[peak] < 0) direction = -direction;
    if (options.whiten)  // directions without variance stay small instead of becoming noise
      direction /= std::sqrt(std::max({eigen.values[column], 1e-9 * largest, 1e-30}));
    for (size_t t = 0; t < d; ++t)
      basis(j, t) = static_cast<float>(direction[static_cast<Eigen::Index>(t)]);
  }
  return std::make_unique<Projection>(std::vector<float>(moments.mean.begin(), moments.mean.end()),
                                      std::move(basis));
}

std::unique_ptr<Reducer> load_pca(const PcaOptions&, const TensorReader& in) {
  return Projection::load(in);
}

}  // namespace muster
