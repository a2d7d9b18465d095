// The squared-hinge SVM on a Gram matrix as both classifiers use it: along the grid of C for
// cross-validation, and once for good. The bias must be in the Gram already (+ bias^2).
#pragma once

#include "muster/crossval/cross_validation.h"
#include "muster/solve/dual_descent.h"

namespace muster {

// Cross-validation's PathSolver: decisions of the held-out items for every C of the grid, each
// started from the solution for the one before.
int64_t squared_hinge_path(MatrixView<const float> gram, double tolerance, const CvTask& task,
                           MatrixView<double> decisions);

// Where to start the problems from for one C: near their solutions if there are several of them, or
// at zero.
std::vector<DualSolution> squared_hinge_starts(MatrixView<const float> gram,
                                               const std::vector<BinaryProblem>& problems,
                                               ClassWeights class_weights, double C,
                                               double tolerance);

// Solves one problem for one C from where `solution` is. Returns the rows of the Gram used.
int64_t squared_hinge_fit(MatrixView<const float> gram, const BinaryProblem& problem,
                          ClassWeights class_weights, double C, double tolerance, const Rng& rng,
                          DualSolution& solution);

}  // namespace muster
