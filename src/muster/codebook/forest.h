// Extremely randomised clustering forest (Moosmann, Triggs & Jurie, NIPS 2006; DSPM 4.2): the
// leaves of randomised trees on labelled vectors are the words. For vocabularies of thousands of
// words, which k-means is slow to learn and slow to assign.
//
// A node draws `tries` tests x_f <= t, f uniform over the components and t uniform between the
// least and the greatest value of its vectors there, and keeps the one with the largest 2 I(C, T) /
// (H(C) + H(T)): mutual information of the class and the side, normalised. If the classes say
// nothing (no labels, or only one class), the most even split is kept. The node with the most
// vectors is split next, until the tree has its share of the words.
//
// Cost: learning O(trees n tries log words), assigning O(trees log words) per vector.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/core/rng.h"
#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"

namespace muster {

struct ForestOptions {
  int words = 5000, trees = 5, tries = 30;
};

// Immutable and shareable between threads.
class Forest {
 public:
  // A sample without vectors is a data error. There are fewer leaves than asked for if many vectors
  // are equal.
  static Forest fit(const ForestOptions& options, const Sample& sample, const Rng& rng);
  static Forest load(const TensorReader& in);
  void save(const TensorWriter& out) const;

  size_t input_dim() const { return input_dim_; }
  size_t num_words() const { return num_words_; }
  size_t num_trees() const { return roots_.size(); }
  // The leaf of each tree, for each vector in turn: num_trees() words per vector. On the calling
  // thread.
  void assign(ConstMatrixView vectors, std::span<uint32_t> out) const;

 private:
  // Continues at `next` if x[feature] <= threshold, else at next + 1. A leaf has feature -1 and
  // its word in `next`.
  struct Node {
    int32_t feature;
    float threshold;
    uint32_t next;
  };
  friend class TreeGrower;

  size_t input_dim_ = 0;
  size_t num_words_ = 0;
  std::vector<uint32_t> roots_;
  std::vector<Node> nodes_;
};

}  // namespace muster
