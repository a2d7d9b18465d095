// Naive Bayes on word counts, the classifier of the bag of keypoints (Csurka et al. 2004) that GEN
// improves on: words are drawn independently, given the class,
//
//   P(w | c) = (s + L sum_{i in c} h_i(w)) / (s V + L sum_{i in c} sum_v h_i(v)),
//   score_c(h) = log P(c) / L + sum_w h(w) log P(w | c)
//
// for histograms h of V words, each of which stands for L (length) words, with s (smoothing) words
// of each kind added; P(c) = (items of c + 1) / (items + classes). Per word, so that the scale does
// not depend on L. Of several labels per item each is a problem of two sides, and the score is the
// difference of theirs. The scores are linear in h. Time and memory: n V for the sums.
#pragma once

#include <memory>
#include <optional>

#include "muster/classify/classifier.h"
#include "muster/core/options.h"

namespace muster {

struct NaiveBayesOptions {
  std::optional<double> smoothing;  // none: chosen from 0.01 to 100
  double length = 1000;
  int folds = 10;

  void fields(Fields& f) {
    f("smoothing", smoothing,
      "words of each kind that are added to a class; auto chooses it by cross-validation, 1 is the "
      "paper's")
        .range(1e-9, 1e9);
    f("length", length, "words that a histogram stands for, such as the number of patches")
        .range(1, 1e9);
    f("folds", folds, "folds of cross-validation").range(2, 1000);
  }
};

// Throws a data error for vectors with values that are negative or not finite and for labels of one
// class only. Requires one row per label.
std::unique_ptr<Classifier> fit_naive_bayes(const NaiveBayesOptions& options,
                                            ConstMatrixView vectors, const Labels& labels, Rng rng,
                                            const Progress& progress);
std::unique_ptr<Classifier> load_naive_bayes(const NaiveBayesOptions& options,
                                             const TensorReader& in);

}  // namespace muster
