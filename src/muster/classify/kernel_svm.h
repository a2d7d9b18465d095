// The support vector machine on a Gram matrix; score s(x) = sum_i a_i y_i k(x_i, x) + b. A
// two-class problem is, with loss=squared-hinge,
//
//   min_a  1/2 sum_ij a_i a_j y_i y_j (K_ij + 1) + sum_i a_i^2 / (4 C) - sum_i a_i,   a_i >= 0
//
// as linear-svm has it, solved by dual_descent.h on the centred Gram; with loss=hinge C-SVC
//
//   min_a  1/2 sum_ij a_i a_j y_i y_j K_ij - sum_i a_i,   0 <= a_i <= C,  sum_i y_i a_i = 0
//
// solved by LIBSVM (Chang and Lin, ACM TIST 2, 2011), which also takes kernels that are not
// positive semi-definite. The Gram is first divided by its mean diagonal (after centring if it
// is centred), so that C means the same for all kernels; factor and centre are folded into the
// coefficients. All folds, classes and values of C share one copy of it. Why two:
// docs/decisions/0006-kernel-svm-loss.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "muster/classify/classifier.h"
#include "muster/core/options.h"
#include "muster/crossval/cross_validation.h"
#include "muster/crossval/indefinite.h"
#include "muster/crossval/kernel_choice.h"

namespace muster {

enum class SvmLoss { kSquaredHinge, kHinge };

struct KernelSvmOptions : CvOptions {
  SvmLoss loss = SvmLoss::kSquaredHinge;
  double tolerance = 0.01;
  Indefinite indefinite = Indefinite::kClip;
  bool all_widths = false;

  void fields(Fields& f) {
    CvOptions::fields(f);
    f.choice("loss", loss, {"squared-hinge", "hinge"}, "of an error; hinge is LIBSVM's C-SVC");
    f("tolerance", tolerance, "of the solver; smaller is more exact").range(1e-10, 0.5);
    indefinite_field(f, indefinite);
    f("all_widths", all_widths,
      "cross-validate every width that a kernel offers, also with 1,000 items or more");
  }
};

// All Grams are n x n, one row per label. Throws a data error for values that are not finite or
// labels of one class only; an asymmetric Gram is a bug. Memory: 4 n^2 bytes (hinge: 16 n^2), one
// Gram at a time (with gram_of_fold one per thread).
KernelChoice choose_kernel(const KernelSvmOptions& options,
                           const std::vector<MatrixView<const double>>& grams,
                           const GramOfFold& gram_of_fold, const Labels& labels, const Rng& rng,
                           const Progress& progress);
// With a choice made before on this Gram (as it was treated); decisions are for kernel values as
// they come.
std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           const DefiniteGram& treated, const Labels& labels,
                                           const KernelChoice& choice, const Progress& progress);
// Treats the Gram if it is indefinite, chooses C and fits.
std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           MatrixView<const double> gram, const Labels& labels,
                                           Rng rng, const Progress& progress);
std::unique_ptr<Classifier> load_kernel_svm(const KernelSvmOptions& options,
                                            const TensorReader& in);

}  // namespace muster
