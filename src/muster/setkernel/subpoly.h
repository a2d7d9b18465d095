// The sub-polynomial transform of a kernel with a dominant diagonal (Weston et al. 2002; PMK 4.2):
//   k'(X, Y) = sign(k(X, Y)) |k(X, Y)|^p,   0 < p <= 1.
// It brings the diagonal and the rest closer together, but the result is no longer a Mercer kernel;
// empirical-map makes one of it. Cost O(1) per kernel value.
#pragma once

#include "muster/core/options.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct SubpolyOptions {
  double p = 0.5;

  void fields(Fields& f) {
    f("p", p, "power of the kernel values").range(1e-3, 1).paper("PMK 4.2");
  }
};

std::shared_ptr<const SetKernel> make_subpoly(const SubpolyOptions& options,
                                              std::shared_ptr<const SetKernel> base);
std::shared_ptr<const SetKernel> load_subpoly(const SubpolyOptions& options,
                                              std::shared_ptr<const SetKernel> base,
                                              const TensorReader& in);

}  // namespace muster
