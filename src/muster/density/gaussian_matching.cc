#include "muster/density/gaussian_matching.h"

#include <cmath>

#include "muster/density/gaussian_divergence.h"
#include "muster/math/gemm.h"

namespace muster {

double log_weight(const Gmm& mixture, size_t component) {
  constexpr double kLeastWeight = 1e-300;
  return std::log(std::max(mixture.weights()[component], kLeastWeight));
}

MatchVectors match_vectors(const Gmm& mixture, MatrixView<const double> centres,
                           std::vector<double>* log_dets) {
  const size_t k = mixture.num_components(), d = mixture.dim(),
               width = divergence_width(d, mixture.kind()),
               rows = mixture.kind() == CovarianceKind::kFull ? d : 1;
  MUSTER_CHECK(centres.rows == k && centres.cols == d);
  MatchVectors out{Matrix<double>(k, width), Matrix<double>(k, width)};
  std::vector<double> mean(d);
  for (size_t m = 0; m < k; ++m) {
    for (size_t t = 0; t < d; ++t) mean[t] = mixture.means()(m, t) - centres(m, t);
    const double log_det =
        divergence_vectors(mean, mixture.covariances().view().slice_rows(m * rows, rows),
                           mixture.kind(), out.u.row(m), out.v.row(m));
    out.v.row(m).back() += log_det - 2 * log_weight(mixture, m);
    if (log_dets) log_dets->push_back(log_det);
  }
  return out;
}

Matrix<double> repeated_origin(const Gmm& universal, size_t k) {
  Matrix<double> out(k, universal.dim());
  for (size_t m = 0; m < k; ++m) std::ranges::copy(universal.origin(), out.row(m).begin());
  return out;
}

Matrix<double> match_products(const MatchVectors& p, const MatchVectors& q) {
  Matrix<double> out(p.u.rows(), q.v.rows());
  gemm_nt(p.u, q.v, out);
  return out;
}

std::vector<uint32_t> matching(const MatchVectors& p, const MatchVectors& q) {
  const Matrix<double> products = match_products(p, q);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < products.rows(); ++i)
    out.push_back(
        static_cast<uint32_t>(std::ranges::min_element(products.row(i)) - products.row(i).begin()));
  return out;
}

}  // namespace muster
