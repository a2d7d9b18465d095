// The linear support vector machine of LIBLINEAR's objective: a two-class problem is
//
//   min_w  1/2 |w|^2 + C sum_i max(0, 1 - y_i w.[x_i; bias])^2
//
// with the bias as an appended, regularised feature (Fan et al., LIBLINEAR, JMLR 9, 2008).
// The mean of the training vectors is first subtracted, then all are divided by the root of their
// mean squared norm, so that C means the same for all inputs; both are folded into weights and
// offsets. Set features are averages, whose large common part would otherwise take up most of the
// norm. Few items: through their Gram matrix, by dual_descent.h, where folds and values of C cost
// little. Many: in the primal, by primal_newton.h. Very many: the same on all ranks together.
#pragma once

#include <memory>
#include <optional>

#include "muster/classify/classifier.h"
#include "muster/classify/sharded_training.h"
#include "muster/core/options.h"
#include "muster/crossval/cross_validation.h"

namespace muster {

struct LinearSvmOptions : CvOptions {
  double bias = 1;
  bool centre = true;
  LinearSolver solver = LinearSolver::kAuto;
  double tolerance = 0.01;

  void fields(Fields& f) {
    CvOptions::fields(f);
    f("bias", bias, "value of the appended feature; 0 for none").range(0, 1000);
    f("centre", centre, "subtract the mean of the training vectors first");
    f.choice("solver", solver, {"auto", "gram", "primal"}, "auto takes the one that costs less");
    f("tolerance", tolerance, "of the solver; smaller is more exact").range(1e-10, 0.5);
  }
};

// Throws a data error for values that are not finite or labels of one class only. Requires
// one row per label. Memory: 4 n^2 bytes (gram) or 16 n d (primal). Time: n^2 d / 2 multiplications
// for the Gram, then some tens of n^2 per two-class problem.
std::unique_ptr<Classifier> fit_linear_svm(const LinearSvmOptions& options, ConstMatrixView vectors,
                                           const Labels& labels, Rng rng, const Progress& progress);
// The same on vectors that stay on their ranks, if trains_sharded() (sharded_training.h).
std::unique_ptr<Classifier> fit_linear_svm_sharded(const LinearSvmOptions& options,
                                                   ShardedVectors vectors, const Labels& labels,
                                                   Rng rng, const Progress& progress);
std::unique_ptr<Classifier> load_linear_svm(const LinearSvmOptions& options,
                                            const TensorReader& in);

}  // namespace muster
