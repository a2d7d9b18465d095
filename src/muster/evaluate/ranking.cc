#include "muster/evaluate/ranking.h"

#include <algorithm>
#include <limits>

#include "muster/core/error.h"

namespace muster {

double average_precision(std::span<const double> scores, std::span<const int> targets) {
  MUSTER_CHECK(scores.size() == targets.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < scores.size(); ++i)
    if (targets[i] != 0) order.push_back(i);
  std::ranges::sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  double sum = 0;
  size_t positives = 0, seen = 0;
  while (seen < order.size()) {
    const double score = scores[order[seen]];
    size_t entering = 0;
    for (; seen < order.size() && scores[order[seen]] == score; ++seen)
      entering += targets[order[seen]] > 0 ? 1 : 0;
    positives += entering;
    sum +=
        static_cast<double>(entering) * static_cast<double>(positives) / static_cast<double>(seen);
  }
  if (positives == 0) return std::numeric_limits<double>::quiet_NaN();
  return sum / static_cast<double>(positives);
}

double mean_average_precision(MatrixView<const double> scores, const Labels& labels) {
  std::vector<double> column(scores.rows);
  std::vector<int> targets(scores.rows);
  double sum = 0;
  int counted = 0;
  for (int label = 0; label < labels.num_classes(); ++label) {
    for (size_t i = 0; i < scores.rows; ++i) {
      column[i] = scores(i, static_cast<size_t>(label));
      targets[i] = labels.target(i, label);
    }
    const double ap = average_precision(column, targets);
    if (std::isnan(ap)) continue;
    sum += ap;
    ++counted;
  }
  return counted > 0 ? sum / counted : 0;
}

std::vector<double> quantiles(std::vector<double> values) {
  std::ranges::sort(values);
  std::vector<double> out;
  for (size_t q = 0; q <= 100 && !values.empty(); ++q)
    out.push_back(values[q * (values.size() - 1) / 100]);
  return out;
}

double share_below(std::span<const double> quantiles, double value) {
  MUSTER_CHECK(quantiles.size() > 1);
  const auto above = std::ranges::lower_bound(quantiles, value);
  if (above == quantiles.begin()) return 0;
  if (above == quantiles.end()) return 1;
  const double low = *(above - 1), step = (value - low) / (*above - low);
  return (static_cast<double>(above - 1 - quantiles.begin()) + step) /
         static_cast<double>(quantiles.size() - 1);
}

}  // namespace muster
