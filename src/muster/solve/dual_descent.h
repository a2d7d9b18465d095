// The squared-hinge SVM on a Gram matrix:
//
//   min_a  1/2 sum_ij a_i a_j y_i y_j K_ij + 1/2 sum_i a_i^2 / (2 C_i) - sum_i a_i,   a >= 0
//
// the dual of  min_w 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2, LIBLINEAR's objective. Sweeps
// of dual coordinate descent (Hsieh et al., A dual coordinate descent method for large-scale linear
// SVM, ICML 2008) find most of the support vectors cheaply, but balance them slowly if kernel
// values are large throughout or the Gram is of low rank and C large. Newton steps in the primal
// (Chapelle, Training a support vector machine in the primal, Neural Computation 19, 2007) finish:
// about three, each a factorisation on the support vectors (active_system.h), or conjugate
// gradients where those are many, which happens at a small C only, where few steps do. The
// decisions f = K (a y) of ALL items are kept: held-out items are scored for free, and a visit that
// changes nothing costs O(1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/rng.h"
#include "muster/solve/binary_problems.h"

namespace muster {

struct DualSolution {
  explicit DualSolution(size_t n) : alphas(n), decisions(n) {}

  std::vector<double> alphas;     // 0 for items that take no part
  std::vector<double> decisions;  // f_i = sum_j K_ij y_j a_j for every item
};

struct DualLimits {
  // Stops when every a_i is within this of 2 C_i max(0, 1 - y_i f_i), divided by 2 C_i: the error
  // in units of the margin.
  double tolerance = 1e-3;
  // Newton steps; a handful is usual.
  int max_steps = 100;
};

// Brings all problems on one Gram near their solutions together: Newton steps as above by conjugate
// gradients, whose products with the Gram are one matrix product for all of them, in single
// precision and at most 60 times. If that is enough every problem ends within `tolerance`;
// solve_dual finishes the others. Returns the number of products.
int64_t approach_duals(MatrixView<const float> gram, const std::vector<BinaryProblem>& problems,
                       const std::vector<Costs>& costs, double tolerance,
                       std::vector<DualSolution>& solutions);

// Improves `solution` (start from DualSolution(n), or from that of another C) and returns
// the number of rows of K it used. Requires a symmetric positive semi-definite Gram. Deterministic
// given rng. O(n) memory beside the Gram; O(n) time per row.
int64_t solve_dual(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
                   const DualLimits& limits, Rng rng, DualSolution& solution);

}  // namespace muster
