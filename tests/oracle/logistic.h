// Logistic regression on a Gram by plain gradient descent in double precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "oracle/svm.h"

namespace muster::oracle {

// H K H / its mean diagonal + 1, H = I - 1 1^T / n.
inline Rows centred(const Rows& k) {
  const size_t n = k.size();
  Rows out(n, std::vector<double>(n));
  double diagonal = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < n; ++b)
          out[i][j] += ((i == a ? 1.0 : 0.0) - 1.0 / static_cast<double>(n)) * k[a][b] *
                       ((b == j ? 1.0 : 0.0) - 1.0 / static_cast<double>(n));
      if (i == j) diagonal += out[i][j] / static_cast<double>(n);
    }
  for (auto& row : out)
    for (double& value : row) value = (diagonal > 1e-12 ? value / diagonal : value) + 1;
  return out;
}

// Decisions F = A G at the minimum of 1/2 tr A G A^T + loss; targets (0 or 1) and costs are
// problems x items.
inline Rows logistic_decisions(const Rows& g, const Rows& targets, const Rows& costs,
                               bool multinomial, int steps = 20000) {
  double bound = 0, cost = 0;
  for (size_t i = 0; i < g.size(); ++i) bound += g[i][i];
  for (const auto& row : costs) cost = std::max(cost, std::ranges::max(row));
  Rows a(targets.size(), std::vector<double>(g.size())), f = a;
  for (int step = 0; step < steps; ++step) {
    for (size_t i = 0; i < g.size(); ++i) {
      double sum = 0;
      for (size_t p = 0; p < a.size(); ++p) sum += std::exp(f[p][i]);
      for (size_t p = 0; p < a.size(); ++p) {
        const double chance = multinomial ? std::exp(f[p][i]) / sum : 1 / (1 + std::exp(-f[p][i]));
        a[p][i] -= (a[p][i] + costs[p][i] * (chance - targets[p][i])) / (1 + bound * cost / 2);
      }
    }
    for (size_t p = 0; p < a.size(); ++p)
      for (size_t i = 0; i < g.size(); ++i) f[p][i] = inner(a[p], g[i]);
  }
  return f;
}

}  // namespace muster::oracle
