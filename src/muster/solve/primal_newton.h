// Linear problems on many items, all of them together:
//
//   min_w  1/2 |w|^2 + sum_i C_i loss(y_i w.x_i),   loss(m) = max(0, 1 - m)^2 or log(1 + exp(-m))
//
// by Newton's steps (Chapelle, Training a support vector machine in the primal, Neural Computation
// 19, 2007; Lin, Weng & Keerthi, JMLR 9, 2008), whose equations conjugate gradients solve,
// preconditioned by the second moments of the items, which all problems share. The products with
// the items are one matrix product for all problems, in single precision, so reading the items once
// serves every problem, and they are the only thing that is done with items: these may be on
// several ranks.
#pragma once

#include <memory>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/solve/binary_problems.h"
#include "muster/solve/convergence.h"
#include "muster/solve/primal_items.h"
#include "muster/solve/primal_loss.h"

namespace muster {

// How many items of a problem are on either side, on all ranks.
struct Sides {
  size_t positives = 0, negatives = 0;
  bool two() const { return positives > 0 && negatives > 0; }
};

// Deterministic for any number of threads, and of ranks if the items are. Not thread-safe. Memory:
// some 20 bytes per problem and item here.
class PrimalNewton {
 public:
  virtual ~PrimalNewton() = default;
  // From where it stands: weights of zero, or the solutions for other costs. Stops a problem when
  // the norm of its gradient is `tolerance` times the share of its rarer side of what it is at
  // w = 0, as LIBLINEAR does. Problems that single precision does not get there are left where
  // they are; those of one side are left at zero. Costs of later calls must be multiples of the
  // first ones. Cost O(n d) per problem and product, some dozens of them.
  virtual void solve(const std::vector<Costs>& costs, double tolerance) = 0;
  // One problem per row, of d + 1 components.
  virtual const Matrix<double>& weights() const = 0;
  // w.x of the items here, whether they take part in the problem or not.
  virtual const Matrix<double>& decisions() const = 0;
  // Whether the gradient of a problem became small enough.
  virtual const std::vector<char>& solved() const = 0;
  // Of the last call. The violation is the norm of the gradient in shares of that at w = 0.
  virtual Convergence convergence() const = 0;
};

// `problems` have a target for each item here.
std::unique_ptr<PrimalNewton> make_primal_newton(PrimalLoss loss, const PrimalItems& items,
                                                 std::vector<BinaryProblem> problems,
                                                 std::vector<Sides> sides);

// The sides of problems whose items are all here.
std::vector<Sides> sides_of(const std::vector<BinaryProblem>& problems);

}  // namespace muster
