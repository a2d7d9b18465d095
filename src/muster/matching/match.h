// The match kernel of Wallraven, Caputo and Graf (ICCV 2003; PMK 2, "Match"):
//   K(X, Y) = 1/2 [ mean_x max_y k(x, y) + mean_y max_x k(x, y) ].
// Not a Mercer kernel, because a maximum is not one. Every vector finds its partner by itself, so
// the kernel ignores which vectors occur together. An empty set has kernel 0 with everything. Cost
// O(m^2 d) per pair, in blocks of products that stay in cache; memory O(m d) per set.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct MatchOptions {
  LocalKernelOptions local;

  void fields(Fields& f) { local.fields(f); }
};

std::shared_ptr<const SetKernel> fit_match(const MatchOptions& options, const Sample& sample,
                                           Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_match(const MatchOptions& options, const TensorReader& in);

}  // namespace muster
