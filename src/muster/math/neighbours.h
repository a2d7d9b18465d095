// The rows nearest to each query, exactly: candidates by tiles of a matrix product in single
// precision, within a margin that the rounding of such products stays in, then their scores in
// double precision. Rows r are ranked by
//
//   euclidean  q.r - |r|^2 / 2   (falls as the distance |q - r| grows)
//   cosine     q.r / |r|         (0 for a row of zeros)
//
// and of equal scores the first row wins. Cost O(queries rows d) time; memory beside the arrays a
// tile of products per thread and the candidates.
#pragma once

#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

enum class Metric { kEuclidean, kCosine };

struct Neighbour {
  size_t row = 0;
  double score = 0;  // larger is nearer

  bool operator==(const Neighbour&) const = default;
};
using Neighbours = std::vector<Neighbour>;  // the nearest first

// Whether `a` comes before `b`.
inline bool nearer(const Neighbour& a, const Neighbour& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

// Keeps the `count` nearest, in order.
void keep_nearest(Neighbours& all, size_t count);

// Views rows, which must outlive it. Immutable; thread-safe.
class NeighbourSearch {
 public:
  NeighbourSearch(ConstMatrixView rows, Metric metric);

  // The `count` nearest rows of each query, or all if there are fewer. If parts are given (one per
  // query, one per row), rows of the query's own part are passed over. Over threads; the same
  // values for any number of them.
  std::vector<Neighbours> find(ConstMatrixView queries, size_t count,
                               std::span<const int> query_parts = {},
                               std::span<const int> row_parts = {}) const;

 private:
  Neighbours of_block(std::span<const float> products, size_t begin, double margin, size_t count,
                      int part, std::span<const int> row_parts) const;

  ConstMatrixView rows_;
  // score = factor_ * product - offset_
  std::vector<double> factors_, offsets_;
  double largest_ = 0;  // |factor r|
};

}  // namespace muster
