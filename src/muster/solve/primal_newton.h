// Squared-hinge SVMs on many items of few components, all problems together:
//
//   min_w  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2
//
// by Newton's steps (Chapelle, Training a support vector machine in the primal, Neural Computation
// 19, 2007), whose equations conjugate gradients solve, preconditioned by the second moments of all
// items, which all problems share. The products with the items are one matrix product for all
// problems, in single precision, so reading the items once serves every problem.
#pragma once

#include <map>
#include <memory>
#include <mutex>
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

// The second moments of all items, which precondition problems on any of them. Thread-safe.
class PrimalMoments {
 public:
  explicit PrimalMoments(const PrimalItems& items);

  // The Cholesky factor of I + c sum_i x_i x_i', c being rounded to a power of 2, so that problems
  // with about the same costs share it; null if it would not fit or is not positive definite in
  // single precision.
  std::shared_ptr<const Matrix<float>> factor(double c) const;

 private:
  Matrix<float> moments_;  // empty if they would not fit
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const Matrix<float>>> factors_;  // by exponent
};

struct PrimalSolutions {
  Matrix<double> weights;    // one problem per row, of d + 1 components
  std::vector<char> solved;  // whether the gradient became small enough
};

// Stops a problem when the norm of its gradient is `tolerance` times the share of its rarer side
// of what it is at w = 0, as LIBLINEAR does. Problems that single precision does not get there are
// left where they are. `start` is empty or has the weights from which the search starts, one
// problem per row. Deterministic for any number of threads. Cost O(n d) per problem and product,
// some dozens of them.
PrimalSolutions solve_primal_together(const PrimalItems& items, const PrimalMoments& moments,
                                      const std::vector<BinaryProblem>& problems,
                                      const std::vector<Costs>& costs, double tolerance,
                                      Matrix<double> start = {});

}  // namespace muster
