// Measures by their definitions, O(n^2), to compare the fast ones with.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::oracle {

struct AtThreshold {
  double positives = 0, all = 0;
};
inline AtThreshold at_or_above(const std::vector<double>& s, const std::vector<int>& t,
                               double score) {
  AtThreshold out;
  for (size_t j = 0; j < s.size(); ++j)
    if (t[j] != 0 && s[j] >= score) out.positives += t[j] > 0, out.all += 1;
  return out;
}

inline double roc_auc(const std::vector<double>& s, const std::vector<int>& t) {
  double wins = 0, pairs = 0;
  for (size_t i = 0; i < s.size(); ++i)
    for (size_t j = 0; j < s.size(); ++j)
      if (t[i] > 0 && t[j] < 0) pairs += 1, wins += s[i] > s[j] ? 1 : s[i] == s[j] ? 0.5 : 0;
  return wins / pairs;
}

// Mean over positives of the precision at their own score.
inline double average_precision(const std::vector<double>& s, const std::vector<int>& t) {
  double sum = 0, positives = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if (t[i] <= 0) continue;
    const AtThreshold cut = at_or_above(s, t, s[i]);
    sum += cut.positives / cut.all, positives += 1;
  }
  return sum / positives;
}

inline double average_precision_11_point(const std::vector<double>& s, const std::vector<int>& t) {
  const double total = static_cast<double>(std::ranges::count(t, 1));
  double sum = 0;
  for (int tenths = 0; tenths <= 10; ++tenths) {
    double best = 0;
    for (size_t i = 0; i < s.size(); ++i) {
      if (t[i] == 0) continue;
      const AtThreshold cut = at_or_above(s, t, s[i]);
      if (cut.positives * 10 >= tenths * total) best = std::max(best, cut.positives / cut.all);
    }
    sum += best;
  }
  return sum / 11;
}

// Judgements as letters: 'r' relevant, 'n' not relevant, 'u' unjudged in the pool, 'o' outside it;
// listed from rank 1 down. Written as in the paper, with rank 1 apart.
inline double inferred_average_precision(const std::vector<char>& ranked) {
  double sum = 0, count = 0;
  for (size_t k = 1; k <= ranked.size(); ++k) {
    if (ranked[k - 1] != 'r') continue;
    double relevant = 0, nonrelevant = 0, pooled = 0;
    for (size_t j = 0; j + 1 < k; ++j)
      relevant += ranked[j] == 'r', nonrelevant += ranked[j] == 'n', pooled += ranked[j] != 'o';
    const double rank = static_cast<double>(k), above = rank - 1, e = 1e-5;
    count += 1;
    sum += k == 1 ? 1
                  : 1 / rank + above / rank * (pooled / above) * (relevant + e) /
                                   (relevant + nonrelevant + 2 * e);
  }
  return sum / count;
}

}  // namespace muster::oracle
