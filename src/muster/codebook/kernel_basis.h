// Basis vectors whose images span the images of local features as well as D vectors can
// (constrained kernel SVD, EMK 3.1):
//
//   min_Z R(Z) = -1/F sum_i k_Z(x_i)' K_ZZ^-1 k_Z(x_i)          (EMK eq 11)
//
// by stochastic gradient descent from k-means centres: D samples per iteration, step rate / t (eq
// 12). Cost O(D^3 + D^2 d) per iteration. For local kernels without a gradient (laplacian, chi2,
// intersection, polynomial) the basis stays at the k-means centres.
#pragma once

#include <optional>
#include <vector>

#include "muster/codebook/kmeans.h"
#include "muster/localkernel/local_kernel.h"

namespace muster {

enum class BasisInit { kKMeans, kRandom };

struct KernelBasisOptions {
  int dim = 1000, samples = 100000, iterations = 10;
  std::optional<double> rate;
  BasisInit init = BasisInit::kKMeans;
  double ridge = 1e-4;

  void fields(Fields& f);
};

struct KernelBasis {
  Matrix<float> vectors;  // D x d
  // -k_Z' K_ZZ^-1 k_Z, mean over the samples of each iteration.
  std::vector<double> objective_per_iteration;
};

// If the sample has fewer distinct vectors than `dim`, there is one basis vector for each of them.
// The same for any number of threads.
KernelBasis fit_kernel_basis(const KernelBasisOptions& options, const LocalKernel& kernel,
                             ConstMatrixView sample, Rng rng, const Progress& progress);

// Mean over the vectors of -k_Z(x)' (K_ZZ + ridge I)^-1 k_Z(x).
double basis_objective(const LocalKernel& kernel, double ridge, ConstMatrixView basis,
                       ConstMatrixView vectors);

// G with G'G = (K_ZZ + ridge * mean diagonal * I)^-1: the inverse of the Cholesky factor, D x D.
// The ridge is raised tenfold until the factorisation succeeds (equal basis vectors, kernels that
// are barely definite).
Matrix<float> inverse_root(const LocalKernel& kernel, double ridge, ConstMatrixView basis);

}  // namespace muster
