// Components of a mixture split in two: how a mixture grows (UGM 4.1), and how dead components come
// back. No random numbers, so the order of the vectors does not matter.
#pragma once

#include <optional>

#include "muster/mixture/gmm.h"

namespace muster {

// The heaviest components are split, all of them if `target` allows it: each half keeps the
// covariance and half the weight, and moves half a standard deviation along the main axis (full) or
// the dimension of largest variance (diagonal), one each way. Requires target >= components.
Gmm split_components(const Gmm& mixture, size_t target);

// Components with less than half a vector's worth of weight take over halves of the heaviest ones;
// `reseeded` counts them. Returns nothing if no component is dead.
std::optional<Gmm> reseed_dead(const Gmm& mixture, double num_vectors, int* reseeded);

}  // namespace muster
