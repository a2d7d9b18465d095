// One fold of cross-validation for several recipes: everything that is learned, from reductions to
// classifiers, is learned from the fold's training items alone. Branches that recipes share are
// fitted once.
#pragma once

#include <map>
#include <string>

#include "muster/choose/folds.h"
#include "muster/recipe/plan.h"
#include "muster/source/set_source.h"

namespace muster {

class FoldJudge {
 public:
  // `items` and `labels` are of the items that folds count; all must outlive it.
  FoldJudge(const SetSource& source, std::span<const size_t> items, const Labels& labels,
            const FoldItems& fold, Rng rng, const Progress& progress);

  struct Scored {
    std::vector<Matrix<double>> by_c;  // a row per held-out item, a matrix per value of C
    double seconds = 0;                // branches that other recipes share counted as well
  };
  // Recipes end in linear-svm or kernel-svm, which are the same machine on the kernels of the
  // branches.
  Scored scores(const Plan& plan, std::span<const double> values_of_c);

 private:
  // Between the training items, and from held-out ones to these; the first with a mean diagonal
  // of 1.
  struct Kernels {
    Matrix<double> train, held_out;
    double seconds = 0;
  };
  const Kernels& kernels_of(const BranchPlan& branch);

  const SetSource& source_;
  const Progress& progress_;
  std::vector<size_t> train_, held_out_;
  Labels train_labels_;
  Rng rng_;
  std::map<std::string, Kernels> kernels_;  // by the text of the branch
};

}  // namespace muster
