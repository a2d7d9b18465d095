// Squared-hinge SVMs on many items of few components, all problems together:
//
//   min_w  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2
//
// by Newton's steps (Chapelle, Training a support vector machine in the primal, Neural Computation
// 19, 2007), whose equations conjugate gradients solve, preconditioned by the second moments of all
// items, which all problems share. The products with the items are one matrix product for all
// problems, in single precision, so reading the items once serves every problem.
#pragma once

#include <vector>

#include "muster/core/matrix.h"
#include "muster/solve/binary_problems.h"

namespace muster {

// x_i = (scale * row i of vectors, bias).
struct PrimalItems {
  ConstMatrixView vectors;
  double scale = 1;
  double bias = 1;
};

struct PrimalSolutions {
  Matrix<double> weights;    // one problem per row, of d + 1 components
  std::vector<char> solved;  // whether the gradient became small enough
};

// Stops a problem when the norm of its gradient is `tolerance` times the share of its rarer side
// of what it is at w = 0, as LIBLINEAR does. Problems that single precision does not get there are
// left where they are. Every item takes part in every problem. Deterministic for any number of
// threads. Cost O(n d) per problem and product, some dozens of them.
PrimalSolutions solve_primal_together(const PrimalItems& items,
                                      const std::vector<BinaryProblem>& problems,
                                      const std::vector<Costs>& costs, double tolerance);

}  // namespace muster
