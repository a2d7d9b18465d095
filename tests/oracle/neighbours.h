// Nearest neighbours by looking at every pair, in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster::oracle {

// Distances of a query to all rows: Euclidean, or 1 - cosine (1 to a row of zeros).
inline std::vector<double> distances(std::span<const float> query, ConstMatrixView rows,
                                     bool cosine) {
  std::vector<double> out;
  for (size_t r = 0; r < rows.rows; ++r) {
    double product = 0, own = 0, other = 0, difference = 0;
    for (size_t t = 0; t < query.size(); ++t) {
      const double q = query[t], x = rows(r, t);
      product += q * x;
      own += q * q;
      other += x * x;
      difference += (q - x) * (q - x);
    }
    const double norms = std::sqrt(own) * std::sqrt(other);
    out.push_back(cosine ? 1 - (norms > 0 ? product / norms : 0) : std::sqrt(difference));
  }
  return out;
}

// All rows by rising distance, of equal ones the first.
inline std::vector<size_t> ranked(const std::vector<double>& distances) {
  std::vector<size_t> order(distances.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return distances[a] < distances[b]; });
  return order;
}

// The class of most of the `count` nearest; of several, the one with the nearest item.
inline int majority(const std::vector<size_t>& order, size_t count,
                    const std::vector<int>& classes) {
  std::vector<size_t> votes(100);
  const size_t n = std::min(count, order.size());
  for (size_t r = 0; r < n; ++r) ++votes[static_cast<size_t>(classes[order[r]])];
  const size_t most = *std::ranges::max_element(votes);
  for (size_t r = 0; r < n; ++r)
    if (votes[static_cast<size_t>(classes[order[r]])] == most) return classes[order[r]];
  return -1;
}

}  // namespace muster::oracle
