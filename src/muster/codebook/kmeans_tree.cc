#include "muster/codebook/kmeans_tree.h"

#include <cmath>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/math/nearest.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

// A node while the tree grows: the rows of the sample in it.
struct Growing {
  std::vector<size_t> rows;
  std::vector<float> centre;
};

std::vector<float> mean_of(ConstMatrixView vectors, std::span<const size_t> rows) {
  std::vector<double> sum(vectors.cols);
  for (size_t row : rows)
    for (size_t t = 0; t < vectors.cols; ++t) sum[t] += vectors(row, t);
  std::vector<float> out;
  for (double value : sum)
    out.push_back(
        static_cast<float>(value / static_cast<double>(std::max<size_t>(rows.size(), 1))));
  return out;
}

// Its children; none if all its vectors are equal.
std::vector<Growing> split(const KMeansTreeOptions& options, ConstMatrixView vectors,
                           const Growing& node, Rng rng) {
  if (node.rows.size() < 2) return {};
  const Matrix<float> own = select_rows(vectors, node.rows);
  KMeansOptions kmeans;
  kmeans.words = options.branch;
  kmeans.iterations = options.iterations;
  const KMeans clusters = fit_kmeans(kmeans, own, rng);
  if (clusters.centres.rows() < 2) return {};
  std::vector<uint32_t> nearest(own.rows());
  find_nearest(own, clusters.centres, clusters.half_norms, nearest);
  std::vector<Growing> children(clusters.centres.rows());
  for (size_t i = 0; i < own.rows(); ++i) children[nearest[i]].rows.push_back(node.rows[i]);
  for (size_t c = 0; c < children.size(); ++c) {
    const auto centre = clusters.centres.row(c);
    children[c].centre.assign(centre.begin(), centre.end());
  }
  return children;
}

float radius_of(ConstMatrixView vectors, const Growing& node) {
  double largest = 0;
  for (size_t row : node.rows) {
    double sum = 0;
    for (size_t t = 0; t < vectors.cols; ++t)
      sum += std::pow(static_cast<double>(vectors(row, t)) - node.centre[t], 2);
    largest = std::max(largest, sum);
  }
  return static_cast<float>(std::sqrt(largest));
}

}  // namespace

Matrix<uint32_t> KMeansTree::paths(ConstMatrixView vectors) const {
  Matrix<uint32_t> out(vectors.rows, levels + 1);
  for (size_t i = 0; i < vectors.rows; ++i) {
    uint32_t node = 0;
    for (size_t depth = 1; depth <= levels; ++depth) {
      double best = 0;
      uint32_t nearest = node;
      for (uint32_t child = first_child[node]; child < first_child[node + 1]; ++child) {
        const double score = dot(vectors.row(i), centres.row(child)) - half_norms[child];
        if (nearest == node || score > best) best = score, nearest = child;
      }
      out(i, depth) = node = nearest;
    }
  }
  return out;
}

double KMeansTree::distance(std::span<const float> vector, uint32_t node) const {
  double sum = 0;
  for (size_t t = 0; t < vector.size(); ++t)
    sum += std::pow(static_cast<double>(vector[t]) - centres(node, t), 2);
  return std::sqrt(sum);
}

void KMeansTree::save(const TensorWriter& out) const {
  out.put("centres", centres);
  out.put("radii", radii);
  out.put("parents", parents);
  out.put("first_child", first_child);
  out.put("levels", static_cast<double>(levels));
}

KMeansTree load_kmeans_tree(const TensorReader& in) {
  KMeansTree tree;
  tree.centres = in.matrix<float>("centres");
  tree.half_norms = half_squared_norms(tree.centres);
  tree.radii = in.values<float>("radii");
  tree.parents = in.values<uint32_t>("parents");
  tree.first_child = in.values<uint32_t>("first_child");
  const double levels = in.number("levels");
  const size_t n = tree.parents.size();
  in.require_input_dim(tree.centres.cols());
  in.require(n > 0 && tree.centres.rows() == n && tree.radii.size() == n &&
                 tree.first_child.size() == n + 1,
             "nodes of the tree");
  in.require(levels >= 1 && levels <= 64, "levels of the tree");
  tree.levels = static_cast<size_t>(levels);
  in.require(tree.first_child[n] <= n, "children of the tree");
  for (size_t i = 0; i < n; ++i)
    in.require(tree.first_child[i] <= tree.first_child[i + 1] && tree.first_child[i] > i &&
                   tree.parents[i] <= i,
               "children of the tree");
  return tree;
}

KMeansTree fit_kmeans_tree(const KMeansTreeOptions& options, ConstMatrixView vectors, Rng rng,
                           const Progress& progress) {
  MUSTER_CHECK(vectors.rows > 0);
  std::vector<size_t> all(vectors.rows);
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<Growing> level{{all, mean_of(vectors, all)}};
  KMeansTree tree;
  tree.levels = static_cast<size_t>(options.levels);
  tree.parents = {0};
  std::vector<float> centres;
  ProgressStep step(progress, "tree of clusters", tree.levels);
  for (size_t depth = 0; depth <= tree.levels; ++depth) {
    const size_t first = tree.parents.size() - level.size();
    std::vector<std::vector<Growing>> children(level.size());
    std::vector<float> radii(level.size());
    parallel_for(level.size(), 1, [&](size_t i, size_t) {
      radii[i] = radius_of(vectors, level[i]);
      if (depth < tree.levels)
        children[i] = split(options, vectors, level[i], rng.derive(first + i));
    });
    std::vector<Growing> next;
    for (size_t i = 0; i < level.size(); ++i) {
      centres.insert(centres.end(), level[i].centre.begin(), level[i].centre.end());
      tree.radii.push_back(radii[i]);
      tree.first_child.push_back(static_cast<uint32_t>(tree.parents.size()));
      tree.parents.insert(tree.parents.end(), children[i].size(), static_cast<uint32_t>(first + i));
      for (Growing& child : children[i]) next.push_back(std::move(child));
    }
    level = std::move(next);
    if (depth < tree.levels) step.tick();
  }
  tree.first_child.push_back(static_cast<uint32_t>(tree.parents.size()));
  tree.centres =
      Matrix<float>(MatrixView<const float>(centres.data(), tree.parents.size(), vectors.cols));
  tree.half_norms = half_squared_norms(tree.centres);
  return tree;
}

}  // namespace muster
