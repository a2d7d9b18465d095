// Hierarchical k-means: the vectors of every node are split into at most `branch` clusters,
// `levels` times. The bins of vocabulary-guided pyramids (the successor of PMK: Grauman & Darrell,
// NIPS 2006), and a vocabulary tree (Nister & Stewenius, CVPR 2006). Fit: O(n branch levels d) per
// iteration; a vector finds its leaf in O(branch levels d).
#pragma once

#include "muster/codebook/kmeans.h"
#include "muster/core/tensors.h"

namespace muster {

struct KMeansTreeOptions {
  int branch = 10;
  int levels = 3;
  int iterations = 30;

  void fields(Fields& f) {
    f("branch", branch, "clusters that a node is split into").range(2, 1000);
    f("levels", levels, "how many times nodes are split: there are at most branch^levels leaves")
        .range(1, 20);
    f("iterations", iterations, "largest number of k-means iterations").range(1, 1000);
  }
};

// Nodes level by level, the root first; children of a node stand side by side. Immutable, shareable
// between threads.
struct KMeansTree {
  Matrix<float> centres;              // one row per node
  std::vector<float> half_norms;      // |centre|^2 / 2
  std::vector<float> radii;           // largest distance of a vector of the sample to its centre
  std::vector<uint32_t> parents;      // the root's is itself
  std::vector<uint32_t> first_child;  // num_nodes + 1 entries; a leaf has an empty range
  size_t levels = 0;

  size_t num_nodes() const { return parents.size(); }
  // nodes(i, l): the node of vector i at depth l, 0 .. levels; below a leaf it stays the leaf.
  // On the calling thread; each vector's path depends on that vector alone.
  Matrix<uint32_t> paths(ConstMatrixView vectors) const;
  double distance(std::span<const float> vector, uint32_t node) const;
  void save(const TensorWriter& out) const;
};

// Requires at least one vector. The same seed gives the same tree for any number of threads.
KMeansTree fit_kmeans_tree(const KMeansTreeOptions& options, ConstMatrixView vectors, Rng rng,
                           const Progress& progress = {});
KMeansTree load_kmeans_tree(const TensorReader& in);

}  // namespace muster
