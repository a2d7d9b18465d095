#include "muster/codebook/forest.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "muster/core/parallel.h"

namespace muster {

// Grows one tree on the sample, components transposed: one row per component.
class TreeGrower {
 public:
  TreeGrower(const Matrix<float>& components, const Sample& sample, int tries, size_t leaves,
             const Rng& rng)
      : components_(components),
        sample_(sample),
        tries_(tries),
        leaves_(leaves),
        rng_(rng),
        order_(sample.vectors.rows()) {
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<uint32_t>(i);
  }

  // Words count from 0.
  std::vector<Forest::Node> grow() {
    const auto smaller = [](const Range& a, const Range& b) {
      return a.size() != b.size() ? a.size() < b.size() : a.node > b.node;
    };
    std::priority_queue<Range, std::vector<Range>, decltype(smaller)> open(smaller);
    nodes_.push_back({-1, 0, 0});
    open.push({0, order_.size(), 0});
    size_t leaves = 1;
    while (leaves < leaves_ && !open.empty()) {
      const Range range = open.top();
      open.pop();
      const Split split = find_split(range);
      if (split.feature < 0) continue;  // stays a leaf: all vectors are equal
      const auto values = components_.row(static_cast<size_t>(split.feature));
      const auto begin = order_.begin() + static_cast<ptrdiff_t>(range.begin);
      const auto end = order_.begin() + static_cast<ptrdiff_t>(range.end);
      const auto middle = std::stable_partition(
          begin, end, [&](uint32_t i) { return values[i] <= split.threshold; });
      const auto children = static_cast<uint32_t>(nodes_.size());
      nodes_[range.node] = {split.feature, split.threshold, children};
      nodes_.push_back({-1, 0, 0});
      nodes_.push_back({-1, 0, 0});
      const size_t cut = range.begin + static_cast<size_t>(middle - begin);
      open.push({range.begin, cut, children});
      open.push({cut, range.end, children + 1});
      ++leaves;
    }
    uint32_t word = 0;
    for (Forest::Node& node : nodes_)
      if (node.feature < 0) node.next = word++;
    return std::move(nodes_);
  }

 private:
  struct Range {
    size_t begin, end;
    uint32_t node;
    size_t size() const { return end - begin; }
  };
  struct Split {
    int32_t feature = -1;
    float threshold = 0;
    double score = -1;
  };

  static double entropy(const std::vector<double>& counts, double total) {
    double sum = 0;
    for (double count : counts)
      if (count > 0) sum -= count / total * std::log(count / total);
    return sum;
  }

  double score(std::span<const uint32_t> items, std::span<const float> values, float threshold) {
    std::ranges::fill(left_, 0.0);
    std::ranges::fill(all_, 0.0);
    double on_left = 0;
    for (uint32_t i : items) {
      // Unlabelled vectors are a class of their own, the last.
      const int label = sample_.labels.empty() ? -1 : sample_.labels[i];
      const size_t c = label >= 0 ? static_cast<size_t>(label) : all_.size() - 1;
      const double left = values[i] <= threshold ? 1 : 0;
      left_[c] += left;
      all_[c] += 1;
      on_left += left;
    }
    const auto total = static_cast<double>(items.size());
    const double of_side = entropy({on_left, total - on_left}, total),
                 of_class = entropy(all_, total);
    if (of_class <= 0) return of_side;
    for (size_t c = 0; c < all_.size(); ++c) right_[c] = all_[c] - left_[c];
    const double within =
        on_left / total * entropy(left_, std::max(on_left, 1.0)) +
        (total - on_left) / total * entropy(right_, std::max(total - on_left, 1.0));
    return 2 * (of_class - within) / (of_class + of_side);
  }

  Split find_split(const Range& range) {
    const std::span<const uint32_t> items(order_.data() + range.begin, range.size());
    const auto classes = static_cast<size_t>(std::max(sample_.num_classes, 0)) + 1;
    left_.resize(classes), right_.resize(classes), all_.resize(classes);
    Rng rng = rng_.derive(range.node);
    Split best;
    if (items.size() < 2) return best;
    for (int trial = 0; trial < tries_; ++trial) {
      const auto feature = static_cast<size_t>(rng.below(components_.rows()));
      const double where = rng.uniform();
      const auto values = components_.row(feature);
      float low = values[items[0]], high = low;
      for (uint32_t i : items) low = std::min(low, values[i]), high = std::max(high, values[i]);
      const auto threshold = static_cast<float>(low + where * (static_cast<double>(high) - low));
      if (!(threshold < high)) continue;  // one value only
      const double value = score(items, values, threshold);
      if (value > best.score) best = {static_cast<int32_t>(feature), threshold, value};
    }
    return best;
  }

  const Matrix<float>& components_;
  const Sample& sample_;
  int tries_;
  size_t leaves_;
  Rng rng_;
  std::vector<uint32_t> order_;
  std::vector<Forest::Node> nodes_;
  std::vector<double> left_, right_, all_;  // counts by class
};

Forest Forest::fit(const ForestOptions& options, const Sample& sample, const Rng& rng) {
  MUSTER_CHECK(options.trees > 0);
  if (sample.vectors.rows() == 0)
    throw data_error(
        "forest: there are no vectors to learn {} words from, because the training items are empty",
        options.words);
  Matrix<float> components(sample.vectors.cols(), sample.vectors.rows());
  for (size_t i = 0; i < sample.vectors.rows(); ++i)
    for (size_t d = 0; d < sample.vectors.cols(); ++d) components(d, i) = sample.vectors(i, d);
  const auto trees = static_cast<size_t>(std::min(options.trees, options.words));
  const auto words = static_cast<size_t>(options.words);
  std::vector<std::vector<Node>> grown(trees);
  parallel_for(trees, 1, [&](size_t t, size_t) {
    const size_t share = words / trees + (t < words % trees ? 1 : 0);
    grown[t] = TreeGrower(components, sample, options.tries, share, rng.derive(t)).grow();
  });
  Forest out;
  out.input_dim_ = sample.vectors.cols();
  for (const std::vector<Node>& tree : grown) {
    const auto root = static_cast<uint32_t>(out.nodes_.size());
    const auto first_word = static_cast<uint32_t>(out.num_words_);
    out.roots_.push_back(root);
    for (Node node : tree) {
      node.next += node.feature < 0 ? first_word : root;
      out.num_words_ += node.feature < 0 ? 1 : 0;
      out.nodes_.push_back(node);
    }
  }
  return out;
}

void Forest::assign(ConstMatrixView vectors, std::span<uint32_t> out) const {
  MUSTER_CHECK(vectors.rows * num_trees() == out.size() &&
               (vectors.rows == 0 || vectors.cols == input_dim_));
  for (size_t i = 0; i < vectors.rows; ++i) {
    const auto x = vectors.row(i);
    for (size_t t = 0; t < num_trees(); ++t) {
      const Node* node = &nodes_[roots_[t]];
      while (node->feature >= 0)
        node = &nodes_[node->next +
                       (x[static_cast<size_t>(node->feature)] <= node->threshold ? 0 : 1)];
      out[i * num_trees() + t] = node->next;
    }
  }
}

void Forest::save(const TensorWriter& out) const {
  std::vector<int32_t> features;
  std::vector<float> thresholds;
  std::vector<uint32_t> next;
  for (const Node& node : nodes_) {
    features.push_back(node.feature);
    thresholds.push_back(node.threshold);
    next.push_back(node.next);
  }
  out.put("input_dim", static_cast<double>(input_dim_));
  out.put("roots", roots_);
  out.put("features", features);
  out.put("thresholds", thresholds);
  out.put("next", next);
}

Forest Forest::load(const TensorReader& in) {
  Forest out;
  out.input_dim_ = in.count("input_dim");
  in.require_input_dim(out.input_dim_);
  out.roots_ = in.values<uint32_t>("roots");
  const auto features = in.values<int32_t>("features");
  const auto thresholds = in.values<float>("thresholds");
  const auto next = in.values<uint32_t>("next");
  in.require(
      features.size() == thresholds.size() && features.size() == next.size() && !out.roots_.empty(),
      "a forest whose arrays differ in length");
  for (size_t i = 0; i < features.size(); ++i) {
    // Children come later, so that every walk ends.
    in.require(
        features[i] < 0 || (static_cast<size_t>(features[i]) < out.input_dim_ && next[i] > i &&
                            static_cast<size_t>(next[i]) + 1 < features.size()),
        "a forest whose nodes are in order");
    out.num_words_ += features[i] < 0 ? 1 : 0;
    out.nodes_.push_back({features[i], thresholds[i], next[i]});
  }
  for (const Node& node : out.nodes_)
    in.require(node.feature >= 0 || node.next < out.num_words_, "words of the forest");
  for (uint32_t root : out.roots_) in.require(root < out.nodes_.size(), "a forest with its roots");
  return out;
}

}  // namespace muster
