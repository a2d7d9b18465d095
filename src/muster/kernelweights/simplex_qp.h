// The quadratic program of weight learning (DSPM eq 10):
//
//   min u'Q u - 2 c'u   over u >= 0, sum u = 1
//
// by exchanges between two variables (sequential minimal optimisation) until the support shows, on
// which it is then solved exactly. If the conditions of optimality do not hold there, the exchanges
// go on.
#pragma once

#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// Q symmetric and positive semi-definite, at least 1 x 1. Gradients of the positive u_j agree, and
// none is smaller, to 1e-8 of the largest entry of Q and c.
std::vector<double> solve_simplex_qp(MatrixView<const double> quadratic,
                                     std::span<const double> linear);

}  // namespace muster
