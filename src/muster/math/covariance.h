// Means and covariances of vectors, and what is done to a covariance before it is used: a floor
// that keeps it invertible, and its Cholesky factor. Double precision.
#pragma once

#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

enum class CovarianceKind { kDiagonal, kFull };

struct Moments {
  std::vector<double> mean;
  Matrix<double> covariance;
};

// Of the rows, divided by their number; accumulated block by block in double precision, the same
// for any number of threads. Without rows both are zero.
Moments sample_moments(ConstMatrixView vectors);

// The least variance allowed in each dimension: `ratio` of the variance that the whole sample has
// in it. A dimension without variance counts as one of 1e-4 of the mean variance (of 1 if none
// has any), so that no floor is zero.
std::vector<double> variance_floors(const Moments& whole_sample, double ratio);

// The nearest covariance C (in likelihood: the maximiser of -log|C| - tr(C^-1 covariance)) with
// C - diag(floors) positive semi-definite, and no eigenvalue so small beside the others (1e-12 of
// their sum, in units of the floors) that rounding would make C indefinite. In place; untouched
// if it keeps the floor already. Requires a symmetric matrix and positive floors. Cost O(d^3).
void floor_covariance(MatrixView<double> covariance, std::span<const double> floors);

// covariance = L L'; log_det = log |covariance|.
struct Whitening {
  Matrix<double> inverse_factor;  // L^-1, lower triangular
  double log_det = 0;
};

bool is_positive_definite(MatrixView<const double> covariance);

// A matrix that is not positive definite is a data error.
Whitening whiten(MatrixView<const double> covariance);

}  // namespace muster
