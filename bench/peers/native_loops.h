// Loops that a C++ programmer would write for this CPU, compiled with -O3 -march=native
// -ffast-math.
#pragma once

#include <cstddef>

namespace muster::bench {

// Every value of a symmetric n x n matrix of histogram intersections, the upper triangle computed
// and mirrored.
void plain_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram);
// The same blocked for registers and caches by hand. Only what is on and above the diagonal of
// blocks is written; n is a multiple of 12 and bins of 16.
void blocked_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram);

// out_t = sqrt(2 / dim) / rows sum_i cos(angles_it + phases_t)
void mean_cosines(const float* angles, size_t rows, size_t dim, const float* phases, float* out);

}  // namespace muster::bench
