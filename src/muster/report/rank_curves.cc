#include "muster/report/rank_curves.h"

#include <algorithm>
#include <functional>

#include "muster/evaluate/measures.h"

namespace muster {
namespace {

struct Ranking {
  std::vector<double> scores;
  std::vector<int> targets;
};

Ranking ranking_of(const SplitResult& split, int label) {
  Ranking out;
  for (const ScoredItem& item : split.scored) {
    if (std::ranges::find(item.difficult, label) != item.difficult.end()) continue;
    out.scores.push_back(item.scores[static_cast<size_t>(label)]);
    out.targets.push_back(std::ranges::find(item.labels, label) != item.labels.end() ? 1 : -1);
  }
  if (!out.scores.empty()) return out;
  for (const ItemPrediction& p : split.predictions) {
    const double sure = p.confidence.value_or(1);
    out.scores.push_back(p.predicted == label ? sure : 1 - sure);
    out.targets.push_back(p.label == label ? 1 : -1);
  }
  return out;
}

// Where the ranking stands after each group of equal scores: positives and negatives so far.
struct Step {
  double positives, negatives;
};

std::vector<Step> steps_of(const Ranking& ranking) {
  std::vector<size_t> order(ranking.scores.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return ranking.scores[i]; });
  std::vector<Step> steps{{0, 0}};
  for (size_t r = 0; r < order.size(); ++r) {
    const bool tied = r > 0 && ranking.scores[order[r]] == ranking.scores[order[r - 1]];
    if (!tied) steps.push_back(steps.back());
    (ranking.targets[order[r]] > 0 ? steps.back().positives : steps.back().negatives) += 1;
  }
  return steps;
}

void add_roc(const std::vector<Step>& steps, RankCurve& curve) {
  const Step total = steps.back();
  size_t s = 0;
  for (size_t g = 0; g < kRankGrid; ++g) {
    const double negatives = total.negatives * static_cast<double>(g) / (kRankGrid - 1);
    while (s + 1 < steps.size() && steps[s + 1].negatives <= negatives) ++s;
    double positives = steps[s].positives;
    if (s + 1 < steps.size()) {  // along the line to the next step
      const double share =
          (negatives - steps[s].negatives) / (steps[s + 1].negatives - steps[s].negatives);
      positives += share * (steps[s + 1].positives - steps[s].positives);
    }
    curve[g] += positives / total.positives;
  }
}

void add_precision(const std::vector<Step>& steps, RankCurve& curve) {
  std::vector<double> best(steps.size());
  double so_far = 0;
  for (size_t s = steps.size(); s-- > 1;)
    best[s] = so_far =
        std::max(so_far, steps[s].positives / (steps[s].positives + steps[s].negatives));
  best[0] = so_far;
  size_t s = 0;
  for (size_t g = 0; g < kRankGrid; ++g) {
    const double wanted = steps.back().positives * static_cast<double>(g) / (kRankGrid - 1);
    while (s + 1 < steps.size() && steps[s].positives + 1e-9 < wanted) ++s;
    curve[g] += best[s];
  }
}

}  // namespace

std::vector<ClassCurves> rank_curves(const MethodResult& method, size_t num_classes) {
  const bool scored =
      std::ranges::any_of(method.splits, [](const auto& s) { return !s.scored.empty(); });
  const bool predicted =
      std::ranges::any_of(method.splits, [](const auto& s) { return !s.predictions.empty(); });
  if (!scored && !(predicted && num_classes == 2)) return {};
  std::vector<ClassCurves> out(num_classes);
  for (size_t c = 0; c < num_classes; ++c) {
    ClassCurves& curves = out[c];
    for (const SplitResult& split : method.splits) {
      const Ranking ranking = ranking_of(split, static_cast<int>(c));
      const std::vector<Step> steps = steps_of(ranking);
      if (steps.back().positives == 0 || steps.back().negatives == 0) continue;
      add_roc(steps, curves.true_positive_rate);
      add_precision(steps, curves.precision);
      curves.auc += roc_auc(ranking.scores, ranking.targets);
      curves.average_precision += average_precision(ranking.scores, ranking.targets);
      ++curves.num_splits;
    }
    const double share = 1.0 / static_cast<double>(std::max<size_t>(curves.num_splits, 1));
    for (double& value : curves.true_positive_rate) value *= share;
    for (double& value : curves.precision) value *= share;
    curves.auc *= share;
    curves.average_precision *= share;
  }
  return out;
}

}  // namespace muster
