#include "muster/evaluate/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace muster {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// After each group of equal scores, from the highest down: how many of each side so far.
struct Step {
  double positives = 0;
  double negatives = 0;
};

std::vector<Step> ranking_steps(std::span<const double> scores, std::span<const int> targets) {
  MUSTER_CHECK(scores.size() == targets.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < scores.size(); ++i)
    if (targets[i] != 0) order.push_back(i);
  std::ranges::sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<Step> steps;
  Step now;
  for (size_t r = 0; r < order.size(); ++r) {
    (targets[order[r]] > 0 ? now.positives : now.negatives) += 1;
    if (r + 1 == order.size() || scores[order[r + 1]] != scores[order[r]]) steps.push_back(now);
  }
  return steps;
}

}  // namespace

double roc_auc(std::span<const double> scores, std::span<const int> targets) {
  const std::vector<Step> steps = ranking_steps(scores, targets);
  if (steps.empty() || steps.back().positives == 0 || steps.back().negatives == 0) return kNaN;
  double area = 0;
  Step before;
  for (const Step& step : steps) {
    area += (step.negatives - before.negatives) * 0.5 * (step.positives + before.positives);
    before = step;
  }
  return area / (before.positives * before.negatives);
}

double average_precision_11_point(std::span<const double> scores, std::span<const int> targets) {
  const std::vector<Step> steps = ranking_steps(scores, targets);
  if (steps.empty() || steps.back().positives == 0) return kNaN;
  const double total = steps.back().positives;
  double sum = 0, best = 0;
  size_t next = steps.size();
  for (int tenths = 10; tenths >= 0; --tenths) {
    // positives / total >= tenths / 10, in whole numbers.
    while (next > 0 && 10 * steps[next - 1].positives >= tenths * total) {
      --next;
      best =
          std::max(best, steps[next].positives / (steps[next].positives + steps[next].negatives));
    }
    sum += best;
  }
  return sum / 11;
}

double inferred_average_precision(std::span<const double> scores,
                                  std::span<const Judgement> judgements) {
  MUSTER_CHECK(scores.size() == judgements.size());
  constexpr double kEpsilon = 1e-5;
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  double sum = 0, relevant = 0, judged = 0, pooled = 0;
  for (size_t r = 0; r < order.size(); ++r) {
    const Judgement judgement = judgements[order[r]];
    if (judgement == Judgement::kRelevant) {
      const double k = static_cast<double>(r) + 1;
      // (k-1)/k * pooled/(k-1) is pooled/k.
      sum += 1 / k + pooled / k * (relevant + kEpsilon) / (judged + 2 * kEpsilon);
      relevant += 1;
    }
    if (judgement == Judgement::kRelevant || judgement == Judgement::kNotRelevant) judged += 1;
    if (judgement != Judgement::kOutsidePool) pooled += 1;
  }
  return relevant > 0 ? sum / relevant : kNaN;
}

std::vector<int> predicted_classes(MatrixView<const double> scores) {
  std::vector<int> out(scores.rows);
  for (size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    out[i] = static_cast<int>(std::ranges::max_element(row) - row.begin());
  }
  return out;
}

Matrix<int> confusion_matrix(std::span<const int> truth, std::span<const int> predicted,
                             int num_classes) {
  MUSTER_CHECK(truth.size() == predicted.size());
  const auto k = static_cast<size_t>(num_classes);
  Matrix<int> out(k, k);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    MUSTER_CHECK(truth[i] < num_classes && predicted[i] >= 0 && predicted[i] < num_classes);
    ++out(static_cast<size_t>(truth[i]), static_cast<size_t>(predicted[i]));
  }
  return out;
}

double accuracy(std::span<const int> truth, std::span<const int> predicted) {
  MUSTER_CHECK(truth.size() == predicted.size());
  size_t correct = 0, counted = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    ++counted;
    correct += truth[i] == predicted[i] ? 1 : 0;
  }
  return counted > 0 ? static_cast<double>(correct) / static_cast<double>(counted) : kNaN;
}

double mean_class_accuracy(std::span<const int> truth, std::span<const int> predicted,
                           int num_classes) {
  const Matrix<int> confusion = confusion_matrix(truth, predicted, num_classes);
  std::vector<double> of_class;
  for (size_t k = 0; k < confusion.rows(); ++k) {
    const int total = std::accumulate(confusion.row(k).begin(), confusion.row(k).end(), 0);
    if (total > 0) of_class.push_back(static_cast<double>(confusion(k, k)) / total);
  }
  return mean_of_defined(of_class);
}

std::vector<int> true_classes(const Labels& labels) {
  std::vector<int> out(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) out[i] = labels.first(i);
  return out;
}

LabelMeasures label_measures(MatrixView<const double> scores, const Labels& labels) {
  MUSTER_CHECK(scores.rows == labels.size());
  MUSTER_CHECK(scores.cols == static_cast<size_t>(labels.num_classes()));
  LabelMeasures out;
  std::vector<double> column(scores.rows);
  std::vector<int> targets(scores.rows);
  for (int label = 0; label < labels.num_classes(); ++label) {
    for (size_t i = 0; i < scores.rows; ++i) {
      column[i] = scores(i, static_cast<size_t>(label));
      targets[i] = labels.target(i, label);
    }
    out.auc.push_back(roc_auc(column, targets));
    out.average_precision.push_back(average_precision(column, targets));
    out.average_precision_11_point.push_back(average_precision_11_point(column, targets));
    if (labels.difficult.empty()) continue;
    std::vector<Judgement> judgements;
    for (const int target : targets)
      judgements.push_back(target == 0  ? Judgement::kUnjudged
                           : target > 0 ? Judgement::kRelevant
                                        : Judgement::kNotRelevant);
    out.inferred_average_precision.push_back(inferred_average_precision(column, judgements));
  }
  return out;
}

double mean_of_defined(std::span<const double> values) {
  double sum = 0;
  size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : kNaN;
}

}  // namespace muster
