// Whether evidence is right, by what happens if it is acted on (Petsiuk, Das & Saenko, RISE, BMVC
// 2018): as the vectors with the most evidence are removed first, the probability of the class must
// fall faster than with an order that knows nothing (deletion); as they are put back into the empty
// set first, it must rise faster (insertion).
#pragma once

#include "muster/core/rng.h"
#include "muster/explain/evidence.h"

namespace muster {

// Numbers of vectors, the most evidence first; ties in their order.
std::vector<size_t> by_evidence(std::span<const double> values);
std::vector<size_t> in_random_order(size_t num_vectors, Rng rng);

// The probability of the class with the first k / steps of the order removed, k = 0 .. steps.
std::vector<double> deletion_curve(const Ensemble& ensemble, const ItemVectors& vectors,
                                   size_t class_index, std::span<const size_t> order, int steps);
// The same with only the first k / steps of the order there.
std::vector<double> insertion_curve(const Ensemble& ensemble, const ItemVectors& vectors,
                                    size_t class_index, std::span<const size_t> order, int steps);

// Of a curve over [0, 1], by the trapezoidal rule.
double area_under(std::span<const double> curve);

}  // namespace muster
