// The empirical kernel map (Weston et al. 2002; PMK 4.2): every set becomes the vector of its
// kernel values with the training sets T_1 .. T_n, and two sets are compared by the dot product of
// these vectors,
//   k'(X, Y) = sum_i k(X, T_i) k(Y, T_i);   on the training sets K' = K K^T.
// A Mercer kernel whatever k is, even if k is a distance.
// Cost: n kernel values for a set that was not trained on, O(n) per pair after that, O(n^3) for the
// training sets; memory 8 n^2 bytes, and twice that in the model file.
#pragma once

#include "muster/setkernel/set_kernel.h"

namespace muster {

// The training sets are those that candidates() is given.
std::shared_ptr<const SetKernel> make_empirical_map(std::shared_ptr<const SetKernel> base);
std::shared_ptr<const SetKernel> load_empirical_map(std::shared_ptr<const SetKernel> base,
                                                    const TensorReader& in);

}  // namespace muster
