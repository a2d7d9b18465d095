#include "muster/retrieval/retrieval.h"

#include <cmath>
#include <limits>

#include "muster/core/parallel.h"
#include "muster/evaluate/ranking.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

// Vectors of a block take this much; kernels do not say how much theirs take.
constexpr size_t kBlockBytes = size_t{64} << 20;
constexpr size_t kKernelBlock = 256;
// Queries of which all similarities are held at once when retrieval is measured.
constexpr size_t kMeasuredQueries = 128;

// Some items as one member of the ensemble sees them.
struct Seen {
  Matrix<float> vectors;          // of length 1 or 0; empty if the member has kernels
  std::vector<Represented> sets;  // by branch
  std::vector<double> roots;      // of k(x, x)

  size_t size() const { return sets.empty() ? vectors.rows() : sets[0].size(); }
  Seen slice(size_t begin, size_t count) const {
    Seen out;
    if (sets.empty()) out.vectors = Matrix<float>(vectors.view().slice_rows(begin, count));
    for (const Represented& of_branch : sets) {
      const RepresentedSpan some = RepresentedSpan(of_branch).subspan(begin, count);
      out.sets.emplace_back(some.begin(), some.end());
    }
    for (size_t i = begin; i < begin + count && !roots.empty(); ++i) out.roots.push_back(roots[i]);
    return out;
  }
};

void normalise_rows(Matrix<float>& vectors) {
  parallel_for(vectors.rows(), 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const double length = std::sqrt(dot(vectors.row(i), vectors.row(i)));
      if (length > 0)
        for (float& value : vectors.row(i)) value = static_cast<float>(value / length);
    }
  });
}

// A sum over branches of k(x, x); one that is not positive, which only kernels that are not
// definite have, counts as 0.
double root_of_self(const Pipeline& member, const Seen& seen, size_t item) {
  double sum = 0;
  for (size_t b = 0; b < seen.sets.size(); ++b) {
    const FittedBranch& branch = member.branches()[b];
    const RepresentedSpan one = RepresentedSpan(seen.sets[b]).subspan(item, 1);
    double value = 0;
    branch.kernel->gram(one, one, MatrixView<double>(&value, 1, 1), {});
    sum += branch.scale * value;
  }
  return sum > 0 ? std::sqrt(sum) : 0;
}

Seen see(const Pipeline& member, const SetSource& source, std::span<const size_t> items,
         const Progress& progress) {
  Seen out;
  if (member.plan().on_vectors()) {
    out.vectors = encode_items(member.branches(), source, items, progress);
    normalise_rows(out.vectors);
    return out;
  }
  for (const FittedBranch& branch : member.branches())
    out.sets.push_back(represent_items(branch, source, items, progress));
  out.roots.resize(items.size());
  parallel_for(items.size(), 1,
               [&](size_t i, size_t) { out.roots[i] = root_of_self(member, out, i); });
  return out;
}

// out += weight * similarity
void add_similarities(const Pipeline& member, double weight, const Seen& a, const Seen& b,
                      MatrixView<double> out, const Progress& progress) {
  if (a.sets.empty()) {
    constexpr size_t kTile = 64;
    parallel_for(out.rows, kTile, [&](size_t begin, size_t end) {
      Matrix<float> products(end - begin, out.cols);
      gemm_nt(a.vectors.view().slice_rows(begin, end - begin), b.vectors, products);
      for (size_t i = begin; i < end; ++i)
        for (size_t j = 0; j < out.cols; ++j) out(i, j) += weight * products(i - begin, j);
    });
    return;
  }
  Matrix<double> gram(out.rows, out.cols);
  for (size_t k = 0; k < a.sets.size(); ++k) {
    const FittedBranch& branch = member.branches()[k];
    branch.kernel->gram(a.sets[k], b.sets[k], gram, progress);
    for (size_t i = 0; i < out.rows; ++i)
      for (size_t j = 0; j < out.cols; ++j) {
        const double roots = a.roots[i] * b.roots[j];
        if (roots > 0) out(i, j) += weight * branch.scale * gram(i, j) / roots;
      }
  }
}

// The members of an ensemble with weights that sum to 1.
class Comparison {
 public:
  explicit Comparison(const Ensemble& ensemble) : ensemble_(ensemble) {
    for (const double weight : ensemble.weights()) total_ += weight;
  }

  // Whether similarities are the cosines of vectors, which can be searched.
  bool on_vectors() const { return !ensemble_.fused() && member(0).plan().on_vectors(); }

  std::vector<Seen> see_all(const SetSource& source, std::span<const size_t> items,
                            const Progress& progress) const {
    std::vector<Seen> out;
    for (const Pipeline& one : ensemble_.members())
      out.push_back(see(one, source, items, progress));
    return out;
  }

  Matrix<double> similarities(const std::vector<Seen>& a, const std::vector<Seen>& b,
                              const Progress& progress) const {
    Matrix<double> out(a[0].size(), b[0].size());
    for (size_t m = 0; m < a.size(); ++m)
      add_similarities(member(m), ensemble_.weights()[m] / total_, a[m], b[m], out, progress);
    return out;
  }

  // So many items at once.
  size_t block() const {
    size_t dim = 0;
    for (const Pipeline& one : ensemble_.members())
      for (const FittedBranch& branch : one.branches()) {
        if (!branch.feature) return kKernelBlock;
        dim += branch.feature->dim();
      }
    return std::clamp<size_t>(kBlockBytes / (sizeof(float) * std::max<size_t>(dim, 1)), 64, 8192);
  }

 private:
  const Pipeline& member(size_t m) const { return ensemble_.members()[m]; }

  const Ensemble& ensemble_;
  double total_ = 0;
};

// Of a query by label: 1 relevant, 0 left out, -1 neither.
int relevance(const Labels& labels, size_t query, size_t other) {
  if (other == query) return 0;
  int out = -1;
  for (const int label : labels.of_item[query]) {
    if (labels.target(query, label) != 1) continue;
    const int target = labels.target(other, label);
    if (target == 1) return 1;
    if (target == 0) out = 0;
  }
  return out;
}

// Adds the query's to the sums; nothing if no other item is relevant.
void measure_query(std::span<const double> similarities, std::span<const int> targets, size_t count,
                   RetrievalMeasures& sums) {
  const double precision = average_precision(similarities, targets);
  if (std::isnan(precision)) return;
  Neighbours ranked;
  for (size_t j = 0; j < targets.size(); ++j)
    if (targets[j] != 0) ranked.push_back({j, similarities[j]});
  keep_nearest(ranked, count);
  size_t relevant = 0;
  for (const Neighbour& one : ranked) relevant += targets[one.row] > 0 ? 1 : 0;
  ++sums.queries;
  sums.mean_average_precision += precision;
  sums.precision_at_count += static_cast<double>(relevant) / static_cast<double>(ranked.size());
}

}  // namespace

std::vector<Neighbours> most_similar(const Ensemble& ensemble, const SetSource& queries,
                                     std::span<const size_t> query_items, const SetSource& source,
                                     std::span<const size_t> items, size_t count,
                                     const Progress& progress) {
  const Comparison comparison(ensemble);
  const std::vector<Seen> asked = comparison.see_all(queries, query_items, progress);
  std::vector<Neighbours> out(query_items.size());
  ProgressStep step(progress, "comparing", items.size());
  const size_t block = comparison.block();
  for (size_t begin = 0; begin < items.size(); begin += block) {
    const auto some = items.subspan(begin, std::min(block, items.size() - begin));
    const std::vector<Seen> seen = comparison.see_all(source, some, {});
    std::vector<Neighbours> found(out.size());
    if (comparison.on_vectors()) {
      found = NeighbourSearch(seen[0].vectors, Metric::kCosine).find(asked[0].vectors, count);
    } else {
      const Matrix<double> values = comparison.similarities(asked, seen, {});
      for (size_t q = 0; q < found.size(); ++q)
        for (size_t j = 0; j < some.size(); ++j) found[q].push_back({j, values(q, j)});
    }
    for (size_t q = 0; q < out.size(); ++q) {
      for (const Neighbour& one : found[q]) out[q].push_back({begin + one.row, one.score});
      keep_nearest(out[q], count);
    }
    step.tick(some.size());
  }
  return out;
}

RetrievalMeasures measure_retrieval(const Ensemble& ensemble, const SetSource& source,
                                    std::span<const size_t> items, const Labels& labels,
                                    size_t count, const Progress& progress) {
  MUSTER_CHECK(items.size() == labels.size() && count > 0);
  const Comparison comparison(ensemble);
  const std::vector<Seen> all = comparison.see_all(source, items, progress);
  RetrievalMeasures sums;
  ProgressStep step(progress, "comparing", items.size());
  for (size_t begin = 0; begin < items.size(); begin += kMeasuredQueries) {
    const size_t size = std::min(kMeasuredQueries, items.size() - begin);
    std::vector<Seen> asked;
    for (const Seen& member : all) asked.push_back(member.slice(begin, size));
    const Matrix<double> values = comparison.similarities(asked, all, {});
    std::vector<RetrievalMeasures> of_query(size);
    parallel_for(size, 1, [&](size_t q, size_t) {
      std::vector<int> targets(items.size());
      for (size_t j = 0; j < targets.size(); ++j) targets[j] = relevance(labels, begin + q, j);
      measure_query(values.row(q), targets, count, of_query[q]);
    });
    for (const RetrievalMeasures& one : of_query) {
      sums.queries += one.queries;
      sums.mean_average_precision += one.mean_average_precision;
      sums.precision_at_count += one.precision_at_count;
    }
    step.tick(size);
  }
  const double queries = sums.queries > 0 ? static_cast<double>(sums.queries)
                                          : std::numeric_limits<double>::quiet_NaN();
  sums.mean_average_precision /= queries;
  sums.precision_at_count /= queries;
  return sums;
}

}  // namespace muster
