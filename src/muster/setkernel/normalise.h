// The kernel as a cosine:  k'(X, Y) = k(X, Y) / sqrt(k(X, X) k(Y, Y)).
// A Mercer kernel if k is one; k'(X, X) = 1. A set with k(X, X) <= 0, such as the empty one, has
// k' = 0 with everything, itself included. Cost: one more kernel value per set, on top of those of
// all pairs.
#pragma once

#include "muster/setkernel/set_kernel.h"

namespace muster {

std::shared_ptr<const SetKernel> make_normalise(std::shared_ptr<const SetKernel> base);
std::shared_ptr<const SetKernel> load_normalise(std::shared_ptr<const SetKernel> base,
                                                const TensorReader& in);

}  // namespace muster
