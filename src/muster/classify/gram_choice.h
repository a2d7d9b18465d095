// Candidate Grams of the same items: made definite if need be, compared by cross-validation, and
// the best one trained on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "muster/classify/classifier.h"
#include "muster/crossval/indefinite.h"
#include "muster/crossval/kernel_choice.h"

namespace muster {

struct GramCandidates {
  size_t count = 1;
  std::function<Matrix<double>(size_t candidate)> gram;
  GramOfFold gram_of_fold;  // empty if the candidates know no labels
};

struct GramChoice {
  std::unique_ptr<Classifier> classifier;
  size_t candidate = 0;
};

// A classifier on Grams, with its options and labels bound.
struct GramTrainer {
  const char* stage;  // for messages
  Indefinite treatment;
  std::function<KernelChoice(const std::vector<MatrixView<const double>>& grams,
                             const GramOfFold& gram_of_fold)>
      choose;
  std::function<std::unique_ptr<Classifier>(const DefiniteGram& gram, const KernelChoice& choice)>
      fit;
};

// `definite` says that the Grams need no test.
GramChoice train_on_best(const GramTrainer& trainer, const GramCandidates& candidates,
                         bool definite);

}  // namespace muster
