// Kullback-Leibler divergences of Gaussians as dot products. With vectors made once per Gaussian,
//
//   u = [C + mu mu', mu, 1],   v = [C^-1, -2 C^-1 mu, mu' C^-1 mu],
//   KL(p || q) = 1/2 [u_p . v_q - d - log|C_p| + log|C_q|]
//
// (UGM eq 15), so that all divergences between two lists of Gaussians are one matrix product, to be
// taken in double precision. Width d (d + 3) / 2 + 1 (full), 2 d + 1 (diagonal).
#pragma once

#include <span>

#include "muster/math/covariance.h"

namespace muster {

size_t divergence_width(size_t dim, CovarianceKind kind);

// Writes u and v; returns log|C|. `covariance` is d x d (full) or 1 x d (diagonal), positive
// definite. Means relative to a point that all Gaussians lie around lose the fewest digits.
double divergence_vectors(std::span<const double> mean, MatrixView<const double> covariance,
                          CovarianceKind kind, std::span<double> u, std::span<double> v);

}  // namespace muster
