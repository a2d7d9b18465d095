// The inner loops of mixtures: what remains between the matrix products. By SIMD with run-time
// dispatch, on the calling thread; sums in the order of the CPU's lanes.
#pragma once

#include <span>

#include "muster/core/matrix.h"

namespace muster {

// Each row l becomes exp(l_m + bias_m) / sum_m exp(l_m + bias_m); log_sums gets the logarithm of
// the sum (one per row). Nothing overflows, however large or small the values. Requires finite
// values and at least one column.
void softmax_rows(MatrixView<float> log_values, std::span<const float> bias,
                  std::span<float> log_sums);

// A row of `projected` holds segments of d values, one per component: out(i, g) = -1/2 sum_t
// (projected(i, g d + t)
// - offsets[g d + t])^2, where d = offsets.size() / out.cols.
void half_squared_distances(ConstMatrixView projected, std::span<const float> offsets,
                            MatrixView<float> out);

// out row i: [x - origin, (x - origin)^2] for row x of `vectors`; out has twice the columns.
void centre_and_square(ConstMatrixView vectors, std::span<const float> origin,
                       MatrixView<float> out);

}  // namespace muster
