#include "muster/solve/binary_problems.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace muster {
namespace {

// A target of one-vs-all: what the labels say. Of one-vs-one: only items of the two classes count.
BinaryProblem one_vs_all(const Labels& labels, std::span<const size_t> items, int label) {
  BinaryProblem out;
  out.targets.reserve(items.size());
  for (const size_t i : items) out.targets.push_back(static_cast<int8_t>(labels.target(i, label)));
  return out;
}

BinaryProblem one_vs_one(const Labels& labels, std::span<const size_t> items, int a, int b) {
  BinaryProblem out;
  out.targets.reserve(items.size());
  for (const size_t i : items) {
    const int label = labels.first(i);
    const bool takes_part = labels.target(i, label) != 0;
    out.targets.push_back(takes_part && label == a ? 1 : takes_part && label == b ? -1 : 0);
  }
  return out;
}

}  // namespace

size_t BinaryProblem::count(int8_t target) const {
  return static_cast<size_t>(std::ranges::count(targets, target));
}

double one_sided_decision(bool positive) { return positive ? 3 : -3; }

Costs side_weights(size_t num_positives, size_t num_negatives, ClassWeights weights) {
  if (weights == ClassWeights::kNone || num_positives == 0 || num_negatives == 0) return {};
  const auto positives = static_cast<double>(num_positives);
  const auto negatives = static_cast<double>(num_negatives);
  const double total = positives + negatives;
  return {total / (2 * positives), total / (2 * negatives)};
}

size_t num_problems(int num_classes, Scheme scheme, bool multi_label) {
  const auto k = static_cast<size_t>(num_classes);
  if (scheme == Scheme::kOneVsOne) return k * (k - 1) / 2;
  return k == 2 && !multi_label ? 1 : k;
}

std::vector<Costs> problem_costs(const std::vector<BinaryProblem>& problems, ClassWeights weights,
                                 double C) {
  std::vector<Costs> out;
  out.reserve(problems.size());
  for (const BinaryProblem& problem : problems)
    out.push_back(scaled(side_weights(problem, weights), C));
  return out;
}

void refuse_one_side(const char* stage, const Labels& labels) {
  throw data_error(
      "{}: training needs at least two classes (or items with and without a label), but all {} "
      "items are of {}; add items of another class",
      stage, labels.size(),
      labels.size() > 0 && labels.first(0) >= 0
          ? "class '" + labels.class_names[static_cast<size_t>(labels.first(0))] + "'"
          : "no class");
}

std::vector<BinaryProblem> make_problems(const char* stage, const Labels& labels, Scheme scheme,
                                         std::span<const size_t> items) {
  const bool multi_label = !labels.single_label();
  if (scheme == Scheme::kOneVsOne && multi_label)
    throw usage_error(
        "{}: scheme=one-vs-one needs exactly one label per item, but these data are multi-label; "
        "use scheme=one-vs-all",
        stage);
  std::vector<BinaryProblem> out;
  const int k = labels.num_classes();
  const size_t count = num_problems(k, scheme, multi_label);
  if (scheme == Scheme::kOneVsAll) {
    for (int a = 0; a < static_cast<int>(count); ++a) out.push_back(one_vs_all(labels, items, a));
  } else {
    for (int a = 0; a < k; ++a)
      for (int b = a + 1; b < k; ++b) out.push_back(one_vs_one(labels, items, a, b));
  }
  return out;
}

std::vector<BinaryProblem> make_problems(const char* stage, const Labels& labels, Scheme scheme) {
  std::vector<size_t> all(labels.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<BinaryProblem> out = make_problems(stage, labels, scheme, all);
  if (std::ranges::none_of(out, &BinaryProblem::two_sided)) refuse_one_side(stage, labels);
  return out;
}

Matrix<double> class_scores(MatrixView<const double> decisions, int num_classes, Scheme scheme) {
  const auto k = static_cast<size_t>(num_classes);
  Matrix<double> out(decisions.rows, k);
  for (size_t i = 0; i < decisions.rows; ++i) {
    const auto row = decisions.row(i);
    const auto scores = out.row(i);
    if (scheme == Scheme::kOneVsAll) {
      std::ranges::copy(row, scores.begin());
      if (row.size() == 1 && k == 2) scores[1] = -row[0];
      continue;
    }
    std::vector<double> sums(k);
    size_t p = 0;
    for (size_t a = 0; a < k; ++a) {
      for (size_t b = a + 1; b < k; ++b, ++p) {
        sums[a] += row[p];
        sums[b] -= row[p];
        scores[row[p] >= 0 ? a : b] += 1;
      }
    }
    for (size_t a = 0; a < k; ++a) scores[a] += sums[a] / (3 * (1 + std::abs(sums[a])));
  }
  return out;
}

}  // namespace muster
