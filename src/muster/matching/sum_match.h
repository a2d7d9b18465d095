// The sum match kernel, exactly (EMK eq 3):  K(X, Y) = 1 / (|X| |Y|) sum_x sum_y k(x, y).
// A Mercer kernel if k is one. An empty set has kernel 0 with everything.
// Cost O(m^2 d) per pair, in tiles of products that stay in cache; memory O(m d) per set.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct SumMatchOptions {
  LocalKernelOptions local;

  void fields(Fields& f) { local.fields(f); }
};

std::shared_ptr<const SetKernel> fit_sum_match(const SumMatchOptions& options, const Sample& sample,
                                               Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_sum_match(const SumMatchOptions& options,
                                                const TensorReader& in);

}  // namespace muster
