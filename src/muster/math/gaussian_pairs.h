// Sums of two covariances, for one Gaussian against many: what every closed-form product of
// Gaussians needs of a pair,
//
//   log |S + S_j|   and   (m - m_j)' (S + S_j)^-1 (m - m_j).
//
// A factorisation per pair is unavoidable for full covariances; here each SIMD lane holds a pair of
// its own, and the difference of the means is carried along as one more row of the Cholesky factor,
// so that no system is solved afterwards. Double precision. Cost d^3 / 6 multiplications per pair
// (full), d (diagonal).
#pragma once

#include <span>

#include "muster/math/covariance.h"

namespace muster {

// A Gaussian as one row: the covariance (the rows of its lower triangle, or the variances), then
// the mean.
size_t packed_gaussian_size(size_t dim, CovarianceKind kind);
void pack_gaussian(std::span<const double> mean, MatrixView<const double> covariance,
                   std::span<double> out);
void pack_gaussian(std::span<const double> mean, std::span<const double> variances,
                   std::span<double> out);

// Columns of the packed Gaussians that `gaussian` meets: columns(e, j) is entry e of Gaussian j.
// The number of columns must be a multiple of this; repeat any Gaussian to fill up.
inline constexpr size_t kGaussianPairLanes = 8;

// Requires positive definite covariances. A pair's results do not depend on its column, and are the
// same for both orders of the pair.
void gaussian_pair_terms(std::span<const double> gaussian, MatrixView<const double> columns,
                         size_t dim, CovarianceKind kind, std::span<double> log_dets,
                         std::span<double> distances);

}  // namespace muster
