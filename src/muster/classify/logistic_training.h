// What klr and logistic share: labels become problems of logistic_newton.h, folds and values of C
// go through it, decisions become probabilities.
#pragma once

#include "muster/crossval/cross_validation.h"
#include "muster/solve/logistic_newton.h"

namespace muster {

enum class LogisticScheme { kOneVsAll, kMultinomial };

// One-label data, one-vs-all: p_k = s(f_k) / sum_j s(f_j) with the sigmoid s; multinomial: softmax.
// Multi-label data: s(f_k). One-label rows sum to 1, and the most probable class is the one of the
// largest score, exactly.
Matrix<double> logistic_probabilities(MatrixView<const double> scores, LogisticScheme scheme,
                                      bool multi_label);

struct LogisticLimits {
  double tolerance = 1e-3;  // largest error of a probability
  int max_steps = 100;      // Newton's
};

// Immutable; thread-safe.
class LogisticTrainer {
 public:
  // Throws as make_problems does, and a usage error for multinomial on multi-label data. `newton`
  // and `labels` must outlive it.
  LogisticTrainer(const char* stage, const LogisticNewton& newton, const Labels& labels,
                  LogisticScheme scheme, ClassWeights class_weights, LogisticLimits limits);

  size_t num_problems() const { return problems_.size(); }
  // Cross-validation's FoldSolver; rougher than the limits.
  int64_t path(const CvFold& fold, std::span<Matrix<double>> decisions) const;

  struct Fit {
    Matrix<double> coefficients;    // problems x items, of the Gram with the bias in it
    std::vector<double> constants;  // to be added: of problems with one sign only, else 0
    Convergence convergence;
    int64_t products = 0;
  };
  Fit fit(double C) const;

 private:
  // Costs are for C = 1; rows of one-sided problems are all zero.
  LogisticTask make_task(std::span<const size_t> held_out) const;

  const LogisticNewton& newton_;
  const Labels& labels_;
  bool multinomial_;
  ClassWeights class_weights_;
  LogisticLimits limits_;
  std::vector<BinaryProblem> problems_;  // multinomial: a class against the others
};

}  // namespace muster
