#include "muster/matching/greedy.h"

#include <numeric>

#include "muster/matching/pair_kernel.h"
#include "muster/setkernel/correspondence.h"

namespace muster {
namespace {

// Rows still to be matched, in any order; removal costs O(1).
class Remaining {
 public:
  explicit Remaining(size_t count) : items_(count), place_(count) {
    std::iota(items_.begin(), items_.end(), size_t{0});
    std::iota(place_.begin(), place_.end(), size_t{0});
  }
  const std::vector<size_t>& items() const { return items_; }
  void remove(size_t item) {
    items_[place_[item]] = items_.back();
    place_[items_.back()] = place_[item];
    items_.pop_back();
  }

 private:
  std::vector<size_t> items_, place_;
};

// The largest of the values that remain, the smallest index among equals.
size_t best_of(std::span<const float> values, const Remaining& remaining) {
  size_t best = remaining.items().front();
  for (const size_t i : remaining.items())
    if (values[i] > values[best] || (values[i] == values[best] && i < best)) best = i;
  return best;
}

Matrix<float> transposed(const Matrix<float>& values) {
  Matrix<float> out(values.cols(), values.rows());
  for (size_t i = 0; i < values.rows(); ++i)
    for (size_t j = 0; j < values.cols(); ++j) out(j, i) = values(i, j);
  return out;
}

// Lexicographic order of the vectors; equal ones are interchangeable.
std::vector<size_t> canonical_order(ConstMatrixView vectors) {
  std::vector<size_t> order(vectors.rows);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t i, size_t j) {
    if (std::ranges::lexicographical_compare(vectors.row(i), vectors.row(j))) return true;
    return !std::ranges::lexicographical_compare(vectors.row(j), vectors.row(i)) && i < j;
  });
  return order;
}

class Greedy final : public PairKernel, public ImpliesMatches {
 public:
  using PairKernel::PairKernel;

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    const ConstMatrixView vectors = set.vectors;
    return std::make_shared<StoredSet>(select_rows(vectors, canonical_order(vectors)));
  }

  std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const override {
    const std::vector<size_t> order_a = canonical_order(a.vectors),
                              order_b = canonical_order(b.vectors);
    const StoredSet x(select_rows(a.vectors.view(), order_a)),
        y(select_rows(b.vectors.view(), order_b));
    const Matrix<float> values = all_local_values("greedy", local(), x, y);
    std::vector<Correspondence> out;
    for (const RowCol& pair : greedy_assignment(values))
      out.push_back({order_a[pair.row], order_b[pair.col], 0, values(pair.row, pair.col)});
    std::ranges::sort(out, {}, &Correspondence::a);
    return out;
  }

 private:
  double value(const StoredSet& x, const StoredSet& y) const override {
    const Matrix<float> values = all_local_values("greedy", local(), x, y);
    double sum = 0;
    for (const RowCol& pair : greedy_assignment(values)) sum += values(pair.row, pair.col);
    return sum;
  }
};

}  // namespace

// A chain goes from a vector to its best partner, on to that one's best partner, and so on; values
// rise along it until two are each other's best. No pair that is left beats those two in either's
// row or column, so that the greedy order would come to take them as well. The chain continues from
// what is left of it, hence O(1) scans per pair on average.
std::vector<RowCol> greedy_assignment(const Matrix<float>& values) {
  struct Node {
    bool is_row;
    size_t index;
    bool operator==(const Node&) const = default;
  };
  const Matrix<float> columns = transposed(values);
  Remaining rows(values.rows()), cols(values.cols());
  std::vector<Node> chain;
  std::vector<RowCol> out;
  while (!rows.items().empty() && !cols.items().empty()) {
    if (chain.empty()) chain.push_back({true, rows.items().front()});
    const Node last = chain.back();
    const Node best = last.is_row ? Node{false, best_of(values.row(last.index), cols)}
                                  : Node{true, best_of(columns.row(last.index), rows)};
    if (chain.size() < 2 || chain[chain.size() - 2] != best) {
      chain.push_back(best);
      continue;
    }
    chain.resize(chain.size() - 2);
    out.push_back(last.is_row ? RowCol{last.index, best.index} : RowCol{best.index, last.index});
    rows.remove(out.back().row);
    cols.remove(out.back().col);
  }
  return out;
}

std::shared_ptr<const SetKernel> fit_greedy(const GreedyOptions& options, const Sample& sample,
                                            Rng rng, const Progress&) {
  return std::make_shared<Greedy>(LocalKernel(options.local, sample.vectors, rng));
}

std::shared_ptr<const SetKernel> load_greedy(const GreedyOptions& options, const TensorReader& in) {
  return std::make_shared<Greedy>(load_local_kernel(options.local, in));
}

}  // namespace muster
