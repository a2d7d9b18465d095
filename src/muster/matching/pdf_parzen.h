// Kernels of the Parzen densities of two sets (GEN 4.3 names them among the ways to a density): a
// Gaussian window of standard deviation h at every vector,
//
//   p(z) = 1/|X| sum_x N(z; x, h^2 I),   q likewise of Y.
//
//   expected-likelihood  integral p q / sqrt(integral p^2 integral q^2); the integral of two
//   windows
//                        is N(x; y, 2 h^2 I), so this is sum-match with gamma = 1 / (4 h^2),
//                        normalised: exact, and a Mercer kernel
//   bhattacharyya        integral sqrt(p q) = E_r 2 sqrt(p q) / (p + q), r = (p + q) / 2, by the
//   mean
//                        over all vectors of X and that over all of Y: 1 for equal sets
//   kl                   exp(-alpha [mean_x log p/q + mean_y log q/p])
//
// The last two have no closed form; they take the densities at the vectors themselves, with logs
// of densities no smaller than -80 below that of a single window. alpha is 1 / mean divergence of
// training sets or a value around it, by cross-validation. h=auto is Scott's rule for 1000 vectors,
// s 1000^(-1 / (d + 4)), with s^2 the mean variance of a dimension in the training sample. An empty
// set has value 0 with every set. Cost O(m^2 d) per pair, memory O(m d) per set.
#pragma once

#include <optional>

#include "muster/core/options.h"
#include "muster/core/rng.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class ParzenKernel { kExpectedLikelihood, kBhattacharyya, kKl };

struct PdfParzenOptions {
  ParzenKernel kernel = ParzenKernel::kExpectedLikelihood;
  std::optional<double> width;
  std::optional<double> alpha;

  void fields(Fields& f);
  bool is_mercer() const { return kernel == ParzenKernel::kExpectedLikelihood; }
};

std::shared_ptr<const SetKernel> fit_pdf_parzen(const PdfParzenOptions& options,
                                                const Sample& sample, Rng rng,
                                                const Progress& progress);
std::shared_ptr<const SetKernel> load_pdf_parzen(const PdfParzenOptions& options,
                                                 const TensorReader& in);

}  // namespace muster
