// The largest eigenvalues of a large symmetric positive semi-definite matrix with their
// eigenvectors, by block subspace iteration in single precision with a Rayleigh-Ritz step in
// double. Cost O(n^2 count) per iteration, by matrix products over threads.
#pragma once

#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/rng.h"

namespace muster {

struct TopEigen {
  std::vector<double> values;  // falling, all above 1e-6 of the largest; at most `count`
  Matrix<float> vectors;       // one eigenvector per row, n long
};

TopEigen top_eigenpairs(ConstMatrixView matrix, size_t count, Rng rng);

}  // namespace muster
