// Functions applied to every value of an array, in place, by SIMD. Single precision, with errors of
// a few units in the last place. On the calling thread.
#pragma once

#include <span>

#include "muster/core/matrix.h"

namespace muster {

// v <- exp(scale * v)
void exp_scaled(std::span<float> values, float scale);
// v <- sign(v) sqrt(scale |v|), as exactly as single precision can
void signed_roots(std::span<float> values, float scale);
// v <- cos(v), with an error of about 1e-7 (1 + |v|), that of the angle itself in single precision
void cosines(std::span<float> values);
// products(i, j) = a_i . b_j becomes exp(-gamma |a_i - b_j|^2), given |a_i|^2 / 2 and |b_j|^2 / 2.
void gaussian_from_products(MatrixView<float> products, std::span<const float> half_a,
                            std::span<const float> half_b, float gamma);
// sum(t) += sum over rows of cos(angles(i, t) + phases(t))
void add_cosines_of_rows(ConstMatrixView angles, std::span<const float> phases,
                         std::span<float> sum);
// sum(t) += sum over rows of values(i, t)
void add_rows(ConstMatrixView values, std::span<float> sum);
// Sum of all values, rows in single precision and their sums in double.
double sum_of_values(ConstMatrixView values);
// Sum of values^power, power >= 1, in double precision.
double sum_of_powers(ConstMatrixView values, int power);
// row_max(i) <- max(row_max(i), all values of row i); col_max alike.
void raise_to_maxima(ConstMatrixView values, std::span<float> row_max, std::span<float> col_max);

}  // namespace muster
