// L2-regularised logistic regression on vectors, one-vs-all: a two-class problem is
//
//   min_w  1/2 |w|^2 + C sum_i c_i log(1 + exp(-y_i w.[x_i; 1]))
//
// on vectors centred and scaled as linear-svm does. Many items: by LIBLINEAR's trust-region Newton
// method (L2R_LR; Lin, Weng & Keerthi, JMLR 9, 2008). Few: the same problem through the Gram of the
// items, by logistic_newton.h, all classes and values of C of a fold sharing its products.
// Probabilities are the model's own (logistic_training.h).
#pragma once

#include <memory>

#include "muster/classify/classifier.h"
#include "muster/classify/sharded_training.h"
#include "muster/core/options.h"

namespace muster {

struct LogisticOptions : CvOptions {
  bool centre = true;
  LinearSolver solver = LinearSolver::kAuto;
  double tolerance = 1e-3;

  void fields(Fields& f) {
    cost_field(f);
    fold_fields(f);
    f("centre", centre, "subtract the mean of the training vectors first");
    f.choice("solver", solver, {"auto", "gram", "primal"},
             "primal is LIBLINEAR; auto takes the one that costs less");
    f("tolerance", tolerance, "of the solver; smaller is more exact").range(1e-8, 0.1);
  }
};

// Throws, requires and costs as fit_linear_svm (linear_svm.h). If C is given, five folds still
// estimate how good it is.
std::unique_ptr<Classifier> fit_logistic(const LogisticOptions& options, ConstMatrixView vectors,
                                         const Labels& labels, Rng rng, const Progress& progress);
std::unique_ptr<Classifier> fit_logistic_sharded(const LogisticOptions& options,
                                                 ShardedVectors vectors, const Labels& labels,
                                                 Rng rng, const Progress& progress);
std::unique_ptr<Classifier> load_logistic(const LogisticOptions& options, const TensorReader& in);

}  // namespace muster
