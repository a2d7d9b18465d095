// How a problem of many classes becomes two-class problems, and how their decisions become scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"

namespace muster {

enum class Scheme { kOneVsAll, kOneVsOne };
enum class ClassWeights { kNone, kBalanced };

struct BinaryProblem {
  // Per item +1, -1, or 0 if it takes no part.
  std::vector<int8_t> targets;

  size_t count(int8_t target) const;
  // Whether both signs occur; otherwise there is nothing to learn.
  bool two_sided() const { return count(1) > 0 && count(-1) > 0; }
  // Whether every item takes part as well: problems of which this is true can share their work.
  bool whole() const { return two_sided() && count(0) == 0; }
};

// The constant decision of a fitted problem with one sign only: beyond what others give, so that a
// class without items is not predicted.
double one_sided_decision(bool positive);
inline double one_sided_decision(const BinaryProblem& problem) {
  return one_sided_decision(problem.count(1) > 0);
}

// The cost of an error on either side: C, times n / (2 n_side) if classes are balanced.
struct Costs {
  double positive = 1;
  double negative = 1;
};
inline Costs scaled(Costs weights, double C) {
  return {weights.positive * C, weights.negative * C};
}
Costs side_weights(size_t positives, size_t negatives, ClassWeights weights);
inline Costs side_weights(const BinaryProblem& problem, ClassWeights weights) {
  return side_weights(problem.count(1), problem.count(-1), weights);
}
// Of every problem, for one C.
std::vector<Costs> problem_costs(const std::vector<BinaryProblem>& problems, ClassWeights weights,
                                 double C);

// One-vs-all: one problem per class, in their order; for one-label data of two classes a single
// problem, class 0 against class 1. One-vs-one: the pairs (0,1), (0,2), ..., (1,2), ...
// Throws a data error if fewer than two classes (or no label with both positives and negatives)
// occur, and a usage error for one-vs-one on multi-label data. `stage` names the stage in messages.
std::vector<BinaryProblem> make_problems(const char* stage, const Labels& labels, Scheme scheme);
// The same for some of the items, of which a problem may have one side only.
std::vector<BinaryProblem> make_problems(const char* stage, const Labels& labels, Scheme scheme,
                                         std::span<const size_t> items);

// What make_problems throws if no problem has two sides.
[[noreturn]] void refuse_one_side(const char* stage, const Labels& labels);

// How many problems make_problems gives; `multi_label` as in !labels.single_label().
size_t num_problems(int num_classes, Scheme scheme, bool multi_label);

// n x problems decisions -> n x classes scores. One-vs-all: the decision itself (and its negative
// for the second of two classes). One-vs-one: the votes of a class plus the sum s of its signed
// decisions bounded to a third of a vote, s / (3 (1 + |s|)), so that margins only break ties.
Matrix<double> class_scores(MatrixView<const double> decisions, int num_classes, Scheme scheme);

}  // namespace muster
