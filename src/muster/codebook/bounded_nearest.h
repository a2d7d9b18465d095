// Nearest centres for iteration after iteration of k-means, exactly, without computing most of the
// distances (Ding et al., Yinyang k-means, ICML 2015). Centres are put into groups of neighbours;
// every vector has a lower bound of its distance to the centres of each group, and the bound falls
// by as much as the fastest of these centres moves. Groups whose bound is above the distance to the
// vector's own centre are skipped. If few can be skipped (in the first iterations), all products
// are computed at once. Memory: one float per vector and group of 16 centres.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

struct Assignment {
  std::vector<uint32_t> nearest;
  std::vector<float> squared_distances;

  double mean_error() const;
};

// Calls assign(begin, end) for blocks of n vectors, over threads and ranks: it writes that part of
// `out`, which gets the size that it needs.
void shared_assignment(size_t n, Assignment& out,
                       const std::function<void(size_t begin, size_t end)>& assign);

class BoundedNearest {
 public:
  // Whether bounds are likely to save time and to fit into memory.
  static bool pays(size_t num_vectors, size_t num_centres, size_t dim);

  // Groups are made of these centres and kept.
  BoundedNearest(ConstMatrixView vectors, ConstMatrixView centres);

  // Centres may be anywhere; the nearer to those of the last call, the faster.
  void assign(ConstMatrixView centres, Assignment& out);

 private:
  struct Block;

  void place_centres(ConstMatrixView centres);
  void assign_block(size_t begin, size_t end, Assignment& out);
  void all_distances(Block& block) const;
  void some_distances(Block& block) const;

  ConstMatrixView vectors_;
  size_t num_groups_;
  std::vector<uint32_t> place_of_;   // of a centre: group * kGroupSize + place in the group
  std::vector<uint32_t> centre_at_;  // the inverse; kNone if a group is not full
  Matrix<float> by_group_;           // centres, a group's one after the other
  Matrix<float> by_place_;  // centres, the first ones of all groups, then the second ones, ...
  std::vector<float> half_norms_, half_norms_by_place_;
  std::vector<float> vector_norms_;  // squared
  std::vector<float> moved_;         // per group: how far its fastest centre moved
  float largest_norm_ = 0;           // squared, of a centre
  bool first_ = true;
  Matrix<float> bounds_;  // vectors x groups
};

}  // namespace muster
