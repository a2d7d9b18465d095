// The vocabulary-guided pyramid match by its definition: new matches of every node, children
// subtracted.
#pragma once

#include <functional>

#include "muster/codebook/kmeans_tree.h"

namespace muster::oracle {

// Vectors of the set in a node, by going down from the root for each.
inline size_t count_in(const KMeansTree& tree, const Matrix<float>& vectors, uint32_t node) {
  size_t count = 0;
  for (size_t i = 0; i < vectors.rows(); ++i) {
    uint32_t at = 0;
    while (at != node && tree.first_child[at] < tree.first_child[at + 1]) {
      uint32_t best = tree.first_child[at];
      for (uint32_t child = best; child < tree.first_child[at + 1]; ++child)
        if (tree.distance(vectors.row(i), child) < tree.distance(vectors.row(i), best))
          best = child;
      at = best;
    }
    count += at == node;
  }
  return count;
}

inline double vg_pyramid_match(const KMeansTree& tree, const Matrix<float>& a,
                               const Matrix<float>& b,
                               const std::function<double(uint32_t node)>& weight) {
  double sum = 0;
  for (uint32_t node = 0; node < tree.num_nodes(); ++node) {
    auto matches = static_cast<double>(std::min(count_in(tree, a, node), count_in(tree, b, node)));
    for (uint32_t child = tree.first_child[node]; child < tree.first_child[node + 1]; ++child)
      matches -= static_cast<double>(std::min(count_in(tree, a, child), count_in(tree, b, child)));
    sum += weight(node) * matches;
  }
  return sum;
}

}  // namespace muster::oracle
