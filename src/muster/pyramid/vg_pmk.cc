#include "muster/pyramid/vg_pmk.h"

#include <algorithm>
#include <cmath>

#include "muster/core/stored_starts.h"
#include "muster/pyramid/shared_bins.h"
#include "muster/setkernel/correspondence.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 16;
constexpr uint32_t kNodesAtOnce = 1024;  // handed to the sums, which work on them together
// A radius counts as at least this share of the root's: a node of one vector would weigh without
// bound.
constexpr double kLeastRadius = 0.05;

// The set in one node of the tree.
struct NodeCount {
  uint32_t node;
  uint32_t count;
  float radius;         // of its vectors there, around the centre
  float parent_radius;  // of its vectors in the parent
};

class TreeSet final : public Representation {
 public:
  size_t num_bytes() const override { return nodes.size() * sizeof(NodeCount); }

  size_t size = 0;
  double self = 0;               // K~(X, X)
  std::vector<NodeCount> nodes;  // by node
};

const TreeSet& tree_set(const Representation& set) { return dynamic_cast<const TreeSet&>(set); }

class VgPmk final : public SetKernel, public ImpliesMatches {
 public:
  VgPmk(const VgPmkOptions& options, KMeansTree tree) : options_(options), tree_(std::move(tree)) {
    weigh_nodes();
  }

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    if (set.size() > 0 && set.dim() != tree_.centres.cols())
      throw data_error(
          "vg-pmk: vectors of {} components were given, but it was fitted on vectors of {}",
          set.dim(), tree_.centres.cols());
    auto out = std::make_shared<TreeSet>();
    out->size = set.size();
    out->nodes = count_nodes(set.vectors, tree_.paths(set.vectors));
    out->self = similarity(*out, *out);
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    if (options_.weights == BinWeights::kInput)
      compare_pairs(a, b, symmetric, out, progress);
    else
      intersect_all(a, b, symmetric, out);
    if (symmetric) {
      for (size_t i = 0; i < a.size(); ++i) out(i, i) = tree_set(*a[i]).self;
      mirror_upper(out);
    }
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j)
        out(i, j) = normalised(out(i, j), tree_set(*a[i]), tree_set(*b[j]));
  }

  std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const override {
    const auto left = represent(a), right = represent(b);
    const Matrix<uint32_t> paths[2] = {tree_.paths(a.vectors), tree_.paths(b.vectors)};
    std::vector<NestedPoint> points;
    for (const bool from_b : {false, true})
      for (size_t i = 0; i < paths[from_b].rows(); ++i)
        points.push_back({from_b, static_cast<uint32_t>(i), 0});
    const auto path = [&](const NestedPoint& point) { return paths[point.from_b].row(point.row); };
    std::ranges::stable_sort(points, [&](const NestedPoint& p, const NestedPoint& q) {
      return std::ranges::lexicographical_compare(path(p), path(q));
    });
    for (size_t k = 1; k < points.size(); ++k) {
      const auto before = path(points[k - 1]), here = path(points[k]);
      size_t same = 0;
      while (same <= tree_.levels && before[same] == here[same]) ++same;
      points[k].merge_level = static_cast<int>(tree_.levels + 1 - same);
    }
    return match_nested(points, static_cast<int>(tree_.levels) + 1, [&](size_t k, int level) {
      const uint32_t node = path(points[k])[tree_.levels - static_cast<size_t>(level)];
      return pair_weight(node, radius_in(tree_set(*left), node), radius_in(tree_set(*right), node));
    });
  }

  void save(const TensorWriter& out) const override { tree_.save(out.scope("tree")); }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override;
  Represented load_represented(const TensorReader& in) const override;

 private:
  void weigh_nodes() {
    std::vector<double> radii(tree_.radii.begin(), tree_.radii.end());
    for (size_t node = tree_.num_nodes(); node-- > 1;) {
      radii[node] = std::max(radii[node], kLeastRadius * tree_.radii[0]);
      radii[tree_.parents[node]] = std::max(radii[tree_.parents[node]], radii[node]);
    }
    std::vector<size_t> depths(tree_.num_nodes());
    for (size_t node = 0; node < tree_.num_nodes(); ++node) {
      if (node > 0) depths[node] = depths[tree_.parents[node]] + 1;
      const double by_radius = radii[node] > 0 ? radii[0] / radii[node] : 1;
      const double by_level =
          std::ldexp(1.0, static_cast<int>(depths[node]) - static_cast<int>(tree_.levels));
      weights_.push_back(options_.weights == BinWeights::kLevel ? by_level : by_radius);
    }
  }

  // The weight of a match in a node in which the two sets have these radii.
  double pair_weight(uint32_t node, double radius_a, double radius_b) const {
    if (options_.weights != BinWeights::kInput) return weights_[node];
    const double unit = tree_.radii[0];
    return unit > 0 ? unit / std::max(radius_a + radius_b, kLeastRadius * unit) : 1;
  }

  // What the count of a node adds: its weight less its parent's, which counts the same vectors
  // again.
  double added_weight(uint32_t node) const {
    return node == 0 ? weights_[0] : weights_[node] - weights_[tree_.parents[node]];
  }

  static double radius_in(const TreeSet& set, uint32_t node) {
    const auto found = std::ranges::lower_bound(set.nodes, node, {}, &NodeCount::node);
    return found == set.nodes.end() || found->node != node ? 0 : found->radius;
  }

  std::vector<NodeCount> count_nodes(ConstMatrixView vectors, const Matrix<uint32_t>& paths) const {
    std::vector<NodeCount> visits;
    for (size_t i = 0; i < paths.rows(); ++i)
      for (size_t depth = 0; depth <= tree_.levels; ++depth) {
        const uint32_t node = paths(i, depth);
        if (depth > 0 && node == paths(i, depth - 1)) break;  // a leaf above the last level
        visits.push_back({node, 1, static_cast<float>(tree_.distance(vectors.row(i), node)), 0});
      }
    std::ranges::stable_sort(visits, {}, &NodeCount::node);
    std::vector<NodeCount> out;
    for (const NodeCount& visit : visits) {
      if (out.empty() || out.back().node != visit.node) {
        out.push_back(visit);
        continue;
      }
      ++out.back().count;
      out.back().radius = std::max(out.back().radius, visit.radius);
    }
    for (NodeCount& entry : out) {
      const uint32_t parent = tree_.parents[entry.node];
      entry.parent_radius = std::ranges::lower_bound(out, parent, {}, &NodeCount::node)->radius;
    }
    return out;
  }

  // By a merge of the two lists of nodes.
  double similarity(const TreeSet& x, const TreeSet& y) const {
    double sum = 0;
    for (auto p = x.nodes.begin(), q = y.nodes.begin(); p != x.nodes.end() && q != y.nodes.end();) {
      if (p->node != q->node) {
        ++(p->node < q->node ? p : q);
        continue;
      }
      double weight = pair_weight(p->node, p->radius, q->radius);
      if (p->node > 0)
        weight -= pair_weight(tree_.parents[p->node], p->parent_radius, q->parent_radius);
      sum += weight * std::min(p->count, q->count);
      ++p, ++q;
    }
    return sum;
  }

  void compare_pairs(RepresentedSpan a, RepresentedSpan b, bool symmetric, MatrixView<double> out,
                     const Progress& progress) const {
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
        for (size_t j = tile.col; j < tile.col + tile.num_cols; ++j)
          out(i, j) = similarity(tree_set(*a[i]), tree_set(*b[j]));
    });
  }

  void intersect_all(RepresentedSpan a, RepresentedSpan b, bool symmetric,
                     MatrixView<double> out) const {
    for (size_t i = 0; i < out.rows; ++i) std::ranges::fill(out.row(i), 0.0);
    std::vector<std::vector<BinCount>> bins(tree_.num_nodes());
    uint32_t set = 0;
    const auto collect = [&](RepresentedSpan sets) {
      for (const auto& one : sets) {
        for (const NodeCount& entry : tree_set(*one).nodes)
          bins[entry.node].push_back({set, entry.count});
        ++set;
      }
    };
    collect(a);
    if (!symmetric) collect(b);
    const SetPairs pairs{a.size(), b.size(), symmetric};
    IntersectionSums sums(pairs, out);
    for (uint32_t first = 0; first < bins.size(); first += kNodesAtOnce) {
      SharedBins shared(pairs);
      const auto end = std::min<size_t>(first + kNodesAtOnce, bins.size());
      for (uint32_t node = first; node < end; ++node) shared.add(added_weight(node), bins[node]);
      sums.take(std::move(shared));
    }
    sums.finish();
  }

  double normalised(double value, const TreeSet& x, const TreeSet& y) const {
    if (x.size == 0 || y.size == 0) return 0;
    switch (options_.normalise) {
      case PmkNormalise::kNone:
        return value;
      case PmkNormalise::kMin:
        return value / static_cast<double>(std::min(x.size, y.size));
      case PmkNormalise::kSelf:
        return x.self > 0 && y.self > 0 ? value / std::sqrt(x.self * y.self) : 0;
    }
    return value;
  }

  VgPmkOptions options_;
  KMeansTree tree_;
  std::vector<double> weights_;  // one per node
};

void VgPmk::save_represented(RepresentedSpan sets, const TensorWriter& out) const {
  std::vector<int64_t> sizes, starts{0};
  std::vector<uint32_t> nodes, counts;
  std::vector<float> radii;
  for (const auto& set : sets) {
    sizes.push_back(static_cast<int64_t>(tree_set(*set).size));
    for (const NodeCount& entry : tree_set(*set).nodes) {
      nodes.push_back(entry.node);
      counts.push_back(entry.count);
      radii.push_back(entry.radius);
    }
    starts.push_back(static_cast<int64_t>(nodes.size()));
  }
  out.put("sizes", sizes);
  out.put("starts", starts);
  out.put("nodes", nodes);
  out.put("counts", counts);
  out.put("radii", radii);
}

Represented VgPmk::load_represented(const TensorReader& in) const {
  const auto sizes = in.values<int64_t>("sizes");
  const auto nodes = in.values<uint32_t>("nodes"), counts = in.values<uint32_t>("counts");
  const auto radii = in.values<float>("radii");
  const std::vector<size_t> starts = load_starts(in, nodes.size());
  in.require(starts.size() == sizes.size() + 1 && counts.size() == nodes.size() &&
                 radii.size() == nodes.size(),
             "nodes of the stored sets");
  Represented out;
  for (size_t s = 0; s < sizes.size(); ++s) {
    in.require(sizes[s] >= 0, "sizes of the stored sets");
    auto set = std::make_shared<TreeSet>();
    set->size = static_cast<size_t>(sizes[s]);
    for (size_t e = starts[s]; e < starts[s + 1]; ++e) {
      in.require(nodes[e] < tree_.num_nodes() &&
                     (set->nodes.empty() ? nodes[e] == 0 : set->nodes.back().node < nodes[e]),
                 "nodes of the stored sets");
      const uint32_t parent = tree_.parents[nodes[e]];
      set->nodes.push_back({nodes[e], counts[e], radii[e], radii[e]});
      const auto found = std::ranges::lower_bound(set->nodes, parent, {}, &NodeCount::node);
      in.require(found->node == parent, "nodes of the stored sets");
      set->nodes.back().parent_radius = found->radius;
    }
    set->self = similarity(*set, *set);
    out.push_back(std::move(set));
  }
  return out;
}

}  // namespace

std::shared_ptr<const SetKernel> fit_vg_pmk(const VgPmkOptions& options, const Sample& sample,
                                            Rng rng, const Progress& progress) {
  return std::make_shared<VgPmk>(options,
                                 fit_kmeans_tree(options.tree, sample.vectors, rng, progress));
}

std::shared_ptr<const SetKernel> load_vg_pmk(const VgPmkOptions& options, const TensorReader& in) {
  return std::make_shared<VgPmk>(options, load_kmeans_tree(in.scope("tree")));
}

}  // namespace muster
