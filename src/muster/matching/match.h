// The match kernel of Wallraven, Caputo and Graf (ICCV 2003; PMK 2, "Match"):
//   K(X, Y) = 1/2 [ mean_x max_y k(x, y) + mean_y max_x k(x, y) ].
// Not a Mercer kernel: the maximum is none. Every vector finds its partner by itself, so that
// nothing is known of which vectors occur together. An empty set has kernel 0 with everything. Cost
// O(m^2 d) a pair, in blocks of products that stay in cache; memory O(m d) a set.
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
std::shared_ptr<const SetKernel> load_match(const MatchOptions& options, TensorReader in);

}  // namespace muster
