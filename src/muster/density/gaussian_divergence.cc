#include "muster/density/gaussian_divergence.h"

#include <cmath>

namespace muster {
namespace {

double fill_full(std::span<const double> mean, MatrixView<const double> covariance,
                 std::span<double> u, std::span<double> v) {
  const size_t d = mean.size();
  const Whitening whitening = whiten(covariance);
  const Matrix<double>& factor = whitening.inverse_factor;
  size_t next = 0;
  double distance = 0;
  std::vector<double> solved(d);
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; j <= i; ++j, ++next) {
      double precision = 0;
      for (size_t t = i; t < d; ++t) precision += factor(t, i) * factor(t, j);
      u[next] = covariance(i, j) + mean[i] * mean[j];
      v[next] = i == j ? precision : 2 * precision;  // also stands for its mirror image
      solved[i] += precision * mean[j];
      if (i != j) solved[j] += precision * mean[i];
    }
  for (size_t t = 0; t < d; ++t, ++next) {
    u[next] = mean[t];
    v[next] = -2 * solved[t];
    distance += mean[t] * solved[t];
  }
  u[next] = 1;
  v[next] = distance;
  return whitening.log_det;
}

double fill_diagonal(std::span<const double> mean, std::span<const double> variances,
                     std::span<double> u, std::span<double> v) {
  const size_t d = mean.size();
  double distance = 0, log_det = 0;
  for (size_t t = 0; t < d; ++t) {
    const double precision = 1 / variances[t];
    u[t] = variances[t] + mean[t] * mean[t];
    v[t] = precision;
    u[d + t] = mean[t];
    v[d + t] = -2 * mean[t] * precision;
    distance += mean[t] * mean[t] * precision;
    log_det += std::log(variances[t]);
  }
  u[2 * d] = 1;
  v[2 * d] = distance;
  return log_det;
}

}  // namespace

size_t divergence_width(size_t dim, CovarianceKind kind) {
  return (kind == CovarianceKind::kFull ? dim * (dim + 1) / 2 : dim) + dim + 1;
}

double divergence_vectors(std::span<const double> mean, MatrixView<const double> covariance,
                          CovarianceKind kind, std::span<double> u, std::span<double> v) {
  MUSTER_CHECK(u.size() == divergence_width(mean.size(), kind) && v.size() == u.size());
  return kind == CovarianceKind::kFull ? fill_full(mean, covariance, u, v)
                                       : fill_diagonal(mean, covariance.row(0), u, v);
}

}  // namespace muster
