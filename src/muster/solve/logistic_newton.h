// Logistic regression on a Gram matrix G that has the bias in it (+ 1), for several problems at
// once:
//
//   min_A  1/2 sum_p a_p G a_p^T + sum_i loss_i(F),   F = A G   (A and F: one row per problem)
//
//   one-vs-all   loss_i = sum_p c_pi log(1 + exp(-y_pi f_pi))
//   multinomial  loss_i = c_i (log sum_p exp f_pi - f_{class of i, i}); problems are classes
//
// By Newton's method. At the optimum a_pi = c_pi (t_pi - prob_pi), t in {0, 1}; what is left of
// that equation, R = A + c (prob - t), is the gradient in the metric of G. A step D solves (I + W
// G) D = -R, W the second derivatives, by conjugate gradients in that metric: one product with G
// per step, in single precision and shared by all problems, since the direction need not be exact.
// Decisions, gradient and the line search that makes the objective fall are in double precision.
// Kernel logistic regression: Zhu & Hastie, JCGS 14, 2005; truncated Newton: Lin, Weng & Keerthi,
// JMLR 9, 2008. Strictly convex: one solution, separable data or not.
#pragma once

#include <functional>

#include "muster/core/matrix.h"
#include "muster/solve/convergence.h"

namespace muster {

// problems x items.
struct LogisticTask {
  Matrix<double> targets;  // 1 or 0
  Matrix<double> costs;    // of an error; 0 if the item takes no part
  bool multinomial = false;
};

struct LogisticSolution {
  LogisticSolution(size_t problems, size_t items)
      : coefficients(problems, items), decisions(problems, items) {}

  Matrix<double> coefficients;  // A
  Matrix<double> decisions;     // F, of items that take no part, too
  Convergence convergence;      // violation: largest |R| / c, the error of a probability
  int64_t products = 0;         // with G
};

class LogisticNewton {
 public:
  using Product = std::function<void(MatrixView<const double> v, MatrixView<double> out)>;
  // `exact` gives V G in double precision. Both must outlive it.
  LogisticNewton(const Matrix<float>& gram, Product exact)
      : gram_(gram), exact_(std::move(exact)) {}

  // From where `solution` stands, until no probability is wrong by more than `tolerance` or
  // `max_steps` Newton steps are done. Thread-safe; on the calling thread.
  void solve(const LogisticTask& task, double tolerance, int max_steps,
             LogisticSolution& solution) const;

 private:
  const Matrix<float>& gram_;
  Product exact_;
};

}  // namespace muster
