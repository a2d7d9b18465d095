// What the folds said of one recipe with one C. Immutable rows of scores go in, means and standard
// errors come out.
//
// One label per item: the score is the share of items that were right, each item counted once, with
// its mean over the repeats; the standard error is that of a share of so many items, which repeats
// do not make smaller. Several labels: mean average precision of all held-out scores of a repeat,
// averaged over repeats; the standard error comes from the folds.
#pragma once

#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/crossval/cross_validation.h"

namespace muster {

class Tally {
 public:
  explicit Tally(const Labels& labels);  // which must outlive it

  // A row of scores per held-out item. Every repeat scores every item at most once.
  void add(size_t repeat, std::span<const size_t> held_out, const Matrix<double>& scores);

  double score() const;
  double error() const;
  // The score without some of the items (one label per item only).
  double score_without(std::span<const size_t> items) const;
  // Whether an item was right in a repeat (one label per item only).
  bool right(size_t repeat, size_t item) const { return right_[repeat][item] == 1; }
  size_t repeats() const { return right_.size(); }
  // The scores of the first repeat; items are positions in the labels.
  HeldOutScores held_out(int folds) const;

  // Over what is scored in both: how much better this one is, and the standard error of that.
  struct Difference {
    double mean = 0;
    double error = 0;
  };
  Difference minus(const Tally& other) const;

 private:
  // By item (one label) or by fold (several).
  std::vector<double> units() const;

  const Labels& labels_;
  std::vector<std::vector<int8_t>> right_;  // by repeat and item: 0, 1, or -1 if it was not scored
  std::vector<Matrix<double>> scores_;      // by repeat
  std::vector<double> fold_scores_;         // several labels: by fold, all repeats
  size_t folds_ = 0;                        // of the first repeat
};

}  // namespace muster
