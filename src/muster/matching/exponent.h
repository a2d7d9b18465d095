// The exponent match kernel of Lyu (CVPR 2005; PMK 2, "Exponent"):
//   K(X, Y) = 1 / (|X| |Y|) sum_x sum_y k(x, y)^p,   p = 1, 2, ...
// The power lets close pairs outweigh the many distant ones, as a maximum would, and a product of
// Mercer kernels is still a Mercer kernel. p = 1 is sum-match. An empty set has kernel 0 with
// everything; powers beyond double precision are a data error. Cost O(m^2 d) per pair, in blocks of
// products that stay in cache; memory O(m d) per set.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct ExponentOptions {
  int p = 4;
  LocalKernelOptions local;

  void fields(Fields& f) {
    f("p", p, "power of every local kernel value").range(1, 100).paper("PMK 2");
    local.fields(f);
  }
};

std::shared_ptr<const SetKernel> fit_exponent(const ExponentOptions& options, const Sample& sample,
                                              Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_exponent(const ExponentOptions& options,
                                               const TensorReader& in);

}  // namespace muster
