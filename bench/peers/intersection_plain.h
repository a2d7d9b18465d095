#pragma once

#include <cstddef>

namespace muster::bench {

// Every value of a symmetric n x n matrix of histogram intersections, the upper triangle computed
// and mirrored.
void plain_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram);

}  // namespace muster::bench
