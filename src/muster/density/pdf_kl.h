// K = exp(-alpha D), D the symmetric Kullback-Leibler divergence of one Gaussian per set (GEN 4.1):
//
//   D = KL(p1 || p2) + KL(p2 || p1)
//     = 1/2 [tr(S1 S2^-1) + tr(S2 S1^-1) - 2 d + (m1 - m2)' (S1^-1 + S2^-1) (m1 - m2)]
//
// (eq 20 of the paper, as printed, is twice that: its alpha = 0.04 is our 0.08). D is a sum of two
// dot products of vectors made once per set, [S + m m', m, 1] with [S^-1, -2 S^-1 m, m' S^-1 m], so
// a Gram matrix is one matrix product in double precision, d (d + 3) multiplications per pair
// (full), 4 d (diagonal). Not a Mercer kernel in general: on most data its Gram is positive
// definite or nearly so.
#pragma once

#include <optional>

#include "muster/density/set_mixture.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct PdfKlOptions {
  std::optional<double> alpha = 0.08;
  SetGaussianOptions gaussian;

  void fields(Fields& f);
};

// alpha=auto: by cross-validation around 1 / mean divergence of the training sets.
std::shared_ptr<const SetKernel> fit_pdf_kl(const PdfKlOptions& options, const Sample& sample,
                                            Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_pdf_kl(const PdfKlOptions& options, const TensorReader& in);

}  // namespace muster
