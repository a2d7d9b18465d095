// Values between all pairs of rows of two matrices, register-blocked: the additive kernels and
// distances that are not matrix products. On the calling thread; out(i, j) is of a.row(i),
// b.row(j). Cost O(m n d), every value of a tile is loaded once per four rows.
#pragma once

#include "muster/core/matrix.h"

namespace muster {

// sum_t min(a_t, b_t)
void pairwise_intersection(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out);
// sum_t 2 a_t b_t / (a_t + b_t), terms with a_t + b_t = 0 being 0
void pairwise_chi2(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out);
// sum_t |a_t - b_t|
void pairwise_l1(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out);
// sum_t (a_t - b_t)^2, by a matrix product; never negative
void pairwise_squared_l2(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out);

}  // namespace muster
