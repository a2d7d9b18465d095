// The squared-hinge SVM on a Gram matrix by dual coordinate descent:
//
//   min_a  1/2 sum_ij a_i a_j y_i y_j K_ij + 1/2 sum_i a_i^2 / (2 C_i) - sum_i a_i,   a >= 0
//
// the dual of  min_w 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2, LIBLINEAR's objective (Hsieh et
// al., A dual coordinate descent method for large-scale linear SVM, ICML 2008). What differs is the
// Gram: the decisions f = K (a y) of ALL items are kept, so held-out items are scored for free and
// a visit that changes nothing costs O(1); a change costs one row of K.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/classify/binary_problems.h"
#include "muster/core/matrix.h"
#include "muster/core/rng.h"

namespace muster {

struct DualSolution {
  std::vector<double> alphas;     // >= 0; 0 for items that take no part
  std::vector<double> decisions;  // f_i = sum_j K_ij y_j a_j for every item
};

struct DualLimits {
  // Stops when no a_i violates its optimality condition by more than this (margins are 1).
  double tolerance = 1e-3;
  // In sweeps; reached only by problems that are next to singular.
  int max_sweeps = 2000;
};

// Improves `solution` (start from zeros of the Gram's size, or from that of another C) and returns
// the number of changes made. Requires a symmetric positive semi-definite Gram. Deterministic given
// rng. O(n) memory beside the Gram; O(n) time a change.
int64_t solve_dual(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
                   const DualLimits& limits, Rng rng, DualSolution& solution);

}  // namespace muster
