#include "muster/math/ranking.h"

#include <algorithm>
#include <limits>
#include <vector>

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

}  // namespace muster
