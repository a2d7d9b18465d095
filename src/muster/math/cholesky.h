// The Cholesky factor of a symmetric positive definite matrix in single precision, by blocks whose
// updates are matrix products. Good enough to solve well-conditioned systems and to precondition
// others. On the calling thread unless it says otherwise.
#pragma once

#include <span>

#include "muster/core/matrix.h"

namespace muster {

// Replaces the lower triangle (diagonal included) of `a` by L with L L^T = a; what is above the
// diagonal is neither read nor meaningful afterwards. Returns false, with `a` half done, if a
// pivot is not positive in this precision. O(n^3 / 3).
[[nodiscard]] bool factor_cholesky(MatrixView<float> a);

// Replaces x by the solution of L L^T z = x. O(n^2).
void solve_cholesky(ConstMatrixView lower, std::span<double> x);

// A^-1 of A = L L^T, all of it. Over all threads. O(n^3).
Matrix<float> inverse_from_cholesky(ConstMatrixView lower);

}  // namespace muster
