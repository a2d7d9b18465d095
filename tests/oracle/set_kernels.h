// Kernels between two sets by their formulas, from the table of local kernel values in double
// precision.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/local_kernel.h"

namespace muster::oracle {

using Table = std::vector<std::vector<double>>;  // |X| x |Y|

inline Table table(const LocalKernelOptions& options, ConstMatrixView x, ConstMatrixView y) {
  Table out(x.rows, std::vector<double>(y.rows));
  for (size_t i = 0; i < x.rows; ++i)
    for (size_t j = 0; j < y.rows; ++j) out[i][j] = local(options, x.row(i), y.row(j));
  return out;
}

inline Table transposed(const Table& k) {
  Table out(k.empty() ? 0 : k[0].size(), std::vector<double>(k.size()));
  for (size_t i = 0; i < k.size(); ++i)
    for (size_t j = 0; j < k[i].size(); ++j) out[j][i] = k[i][j];
  return out;
}

inline double mean_of_maxima(const Table& k) {
  double sum = 0;
  for (const auto& row : k) sum += std::ranges::max(row);
  return sum / static_cast<double>(k.size());
}
inline double match(const Table& k) {
  return 0.5 * (mean_of_maxima(k) + mean_of_maxima(transposed(k)));
}

inline double exponent(const Table& k, int p) {
  double sum = 0;
  for (const auto& row : k)
    for (double value : row) sum += std::pow(value, p) / static_cast<double>(k.size() * row.size());
  return sum;
}

inline double greedy(Table k) {
  constexpr double kTaken = -1e300;
  double sum = 0;
  for (size_t step = 0; step < std::min(k.size(), k[0].size()); ++step) {
    size_t row = 0, col = 0;
    for (size_t i = 0; i < k.size(); ++i)
      for (size_t j = 0; j < k[i].size(); ++j)
        if (k[i][j] > k[row][col]) row = i, col = j;
    sum += k[row][col];
    for (auto& other : k) other[col] = kTaken;
    k[row].assign(k[row].size(), kTaken);
  }
  return sum;
}

// The largest sum over all ways to give every row a column of its own; rows <= columns, tiny.
inline double best_assignment(const Table& k, size_t row = 0, unsigned taken = 0) {
  if (row == k.size()) return 0;
  double best = -1e300;
  for (size_t j = 0; j < k[row].size(); ++j)
    if (!(taken >> j & 1))
      best = std::max(best, k[row][j] + best_assignment(k, row + 1, taken | 1u << j));
  return best;
}
// The same by the Hungarian method, O(rows^2 columns).
inline double hungarian(const Table& k) {
  const size_t m = k.size(), n = k[0].size();
  std::vector<double> u(m + 1), v(n + 1);
  std::vector<size_t> row_of(n + 1), way(n + 1);  // row m and column n are none
  std::ranges::fill(row_of, m);
  for (size_t i = 0; i < m; ++i) {
    std::vector<double> slack(n, 1e300);
    std::vector<bool> seen(n + 1);
    size_t j = n;
    for (row_of[n] = i; row_of[j] != m;) {
      seen[j] = true;
      const size_t row = row_of[j], before = j;
      double least = 1e300;
      for (size_t to = 0; to < n; ++to) {
        if (seen[to]) continue;
        const double reduced = -k[row][to] - u[row] - v[to];
        if (reduced < slack[to]) slack[to] = reduced, way[to] = before;
        if (slack[to] < least) least = slack[to], j = to;
      }
      for (size_t to = 0; to <= n; ++to)
        if (seen[to])
          u[row_of[to]] += least, v[to] -= least;
        else
          slack[to] -= least;
    }
    for (; j != n; j = way[j]) row_of[j] = row_of[way[j]];
  }
  double sum = 0;
  for (size_t j = 0; j < n; ++j)
    if (row_of[j] != m) sum += k[row_of[j]][j];
  return sum;
}

inline double matching(const Table& k) {
  return k.size() <= k[0].size() ? best_assignment(k) : best_assignment(transposed(k));
}

// Whole spans of sets of linearly independent images, by Cholesky factors of their Grams.
inline double principal_angles(const Table& xx, const Table& xy, const Table& yy) {
  const auto dense = [](const Table& k) {
    Eigen::MatrixXd out(k.size(), k[0].size());
    for (size_t i = 0; i < k.size(); ++i)
      for (size_t j = 0; j < k[i].size(); ++j)
        out(static_cast<long>(i), static_cast<long>(j)) = k[i][j];
    return out;
  };
  const Eigen::LLT<Eigen::MatrixXd> x(dense(xx)), y(dense(yy));
  const Eigen::MatrixXd half = x.matrixL().solve(dense(xy));
  const Eigen::MatrixXd cosines = y.matrixL().solve(half.transpose());
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(cosines);
  double product = 1;
  for (double cosine : svd.singularValues()) product *= cosine * cosine;
  return product;
}

}  // namespace muster::oracle
