// Kernel logistic regression on a Gram matrix (UGM 3): with f(x) = sum_i a_i k(x_i, x) +
// b,
//
//   one-vs-all   min  1/2 |f|^2 + C sum_i c_i log(1 + exp(-y_i f(x_i)))         one problem per
//   class multinomial  min  1/2 sum_k |f_k|^2 + C sum_i c_i (log sum_k exp f_k(x_i) - f_{y_i}(x_i))
//
// where |f|^2 is the squared norm of f in the kernel's space, the bias in it as in kernel-svm: the
// Gram is centred and divided by its mean diagonal (centred_gram.h), so that C means the same.
// Solved by logistic_newton.h, all problems of a fold at once. Probabilities are the model's own
// (logistic_training.h), not calibrated afterwards. Takes indefinite Grams as kernel-svm does.
#pragma once

#include <memory>

#include "muster/classify/classifier.h"
#include "muster/classify/logistic_training.h"
#include "muster/core/options.h"
#include "muster/crossval/indefinite.h"
#include "muster/crossval/kernel_choice.h"

namespace muster {

struct KlrOptions : CvOptions {
  LogisticScheme logistic_scheme = LogisticScheme::kOneVsAll;
  double tolerance = 1e-3;
  int max_steps = 100;
  Indefinite indefinite = Indefinite::kClip;

  void fields(Fields& f) {
    cost_field(f);
    f.choice("scheme", logistic_scheme, {"one-vs-all", "multinomial"},
             "one problem per class, or one joint problem (one-label data)");
    fold_fields(f);
    f("tolerance", tolerance, "largest error of a probability on the training items")
        .range(1e-8, 0.1);
    f("max_steps", max_steps, "most Newton steps").range(1, 10000);
    indefinite_field(f, indefinite);
  }
};

// As choose_kernel and fit_kernel_svm (kernel_svm.h). Memory: 4 n^2 bytes, one Gram at a time.
// If C is given, five folds still estimate how good it is.
KernelChoice choose_klr_kernel(const KlrOptions& options,
                               const std::vector<MatrixView<const double>>& grams,
                               const GramOfFold& gram_of_fold, const Labels& labels, const Rng& rng,
                               const Progress& progress);
std::unique_ptr<Classifier> fit_klr(const KlrOptions& options, const DefiniteGram& treated,
                                    const Labels& labels, const KernelChoice& choice,
                                    const Progress& progress);
std::unique_ptr<Classifier> load_klr(const KlrOptions& options, const TensorReader& in);

}  // namespace muster
