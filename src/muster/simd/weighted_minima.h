// Weighted histogram intersections of all pairs of rows, by SIMD in double precision, so that sums
// of whole numbers over powers of two are exact:  out(i, j) += sum_t weights(t) min(a(i, t), b(j,
// t)). Cost O(|a| |b| n), in pieces that stay in cache. On the calling thread.
#pragma once

#include <span>

#include "muster/core/matrix.h"

namespace muster {

void add_weighted_minima(MatrixView<const double> a, MatrixView<const double> b,
                         std::span<const double> weights, MatrixView<double> out);

}  // namespace muster
