// Probability product kernels of the densities of two sets, K = integral p(x)^rho q(x)^rho dx
// (GEN 4.2; Jebara, Kondor and Howard, JMLR 2004). Of two Gaussians, S = S1 + S2, m = m1 - m2,
//
//   log K = (1 - 2 rho) d/2 log 2 pi - d/2 log rho + (1 - rho)/2 (log|S1| + log|S2|)
//           - 1/2 log|S| - rho/2 m'S^-1 m
//
// rho = 1/2 is the Bhattacharyya affinity, which is 1 for two equal Gaussians whatever their
// covariance. (Eq 21 of the paper, as printed, gives s^-d for two equal Gaussians with covariance s
// I; the form here is the affinity itself, without inverses.) rho = 1 is the expected likelihood,
// which sums over the components of mixtures, K = sum_ij w_i v_j K(p_i, q_j). Mercer kernels for
// every rho. Determinants of single Gaussians are taken once per set; each pair needs the factor of
// S, d^3 / 6 multiplications (full) by SIMD over pairs.
#pragma once

#include "muster/density/set_mixture.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct PdfBhattacharyyaOptions {
  double rho = 0.5;
  bool normalise = true;
  SetGaussianOptions gaussian;

  void fields(Fields& f);
};

// normalise: K(X, Y) / sqrt(K(X, X) K(Y, Y)), which changes nothing for rho = 1/2. Without it
// values above 1e304 are cut there.
std::shared_ptr<const SetKernel> fit_pdf_bhattacharyya(const PdfBhattacharyyaOptions& options,
                                                       const Sample& sample, Rng rng,
                                                       const Progress& progress);
std::shared_ptr<const SetKernel> load_pdf_bhattacharyya(const PdfBhattacharyyaOptions& options,
                                                        const TensorReader& in);

struct PdfMixtureOptions {
  int components = 3;
  int iterations = 10;
  CovarianceKind covariance = CovarianceKind::kDiagonal;
  GmmPriorWeights weights;
  double floor = 1e-4;
  bool normalise = true;

  void fields(Fields& f);
};

std::shared_ptr<const SetKernel> fit_pdf_mixture(const PdfMixtureOptions& options,
                                                 const Sample& sample, Rng rng,
                                                 const Progress& progress);
std::shared_ptr<const SetKernel> load_pdf_mixture(const PdfMixtureOptions& options,
                                                  const TensorReader& in);

}  // namespace muster
