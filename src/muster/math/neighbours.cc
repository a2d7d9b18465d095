#include "muster/math/neighbours.h"

#include <cmath>
#include <limits>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

// A tile of products is 256 KiB.
constexpr size_t kQueries = 64, kRows = 1024;
// Rounding errors of a sum of d products in single precision grow like sqrt(d) epsilon; eight times
// that is never reached, however the product is blocked.
constexpr double kSafety = 8;

}  // namespace

void keep_nearest(Neighbours& all, size_t count) {
  const size_t kept = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), nearer);
  all.resize(kept);
}

NeighbourSearch::NeighbourSearch(ConstMatrixView rows, Metric metric)
    : rows_(rows), factors_(rows.rows, 1.0), offsets_(rows.rows) {
  parallel_for(rows.rows, kRows, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      const double squared = dot(rows.row(r), rows.row(r));
      if (metric == Metric::kEuclidean)
        offsets_[r] = squared / 2;
      else
        factors_[r] = squared > 0 ? 1 / std::sqrt(squared) : 0;
    }
  });
  for (size_t r = 0; r < rows.rows; ++r)
    largest_ = std::max(largest_, metric == Metric::kEuclidean ? std::sqrt(2 * offsets_[r]) : 1.0);
}

// Candidates of one block of rows: all that may be among its `count` nearest.
Neighbours NeighbourSearch::of_block(std::span<const float> products, size_t begin, double margin,
                                     size_t count, int part, std::span<const int> row_parts) const {
  Neighbours out;
  out.reserve(products.size());
  for (size_t j = 0; j < products.size(); ++j) {
    const size_t row = begin + j;
    if (!row_parts.empty() && row_parts[row] == part) continue;
    out.push_back({row, factors_[row] * products[j] - offsets_[row]});
  }
  if (out.size() <= count) return out;
  std::ranges::nth_element(out, out.begin() + static_cast<std::ptrdiff_t>(count - 1), nearer);
  const double least = out[count - 1].score - margin;
  std::erase_if(out, [&](const Neighbour& one) { return one.score < least; });
  out.shrink_to_fit();
  return out;
}

std::vector<Neighbours> NeighbourSearch::find(ConstMatrixView queries, size_t count,
                                              std::span<const int> query_parts,
                                              std::span<const int> row_parts) const {
  MUSTER_CHECK(queries.cols == rows_.cols && query_parts.empty() == row_parts.empty());
  MUSTER_CHECK(query_parts.empty() || query_parts.size() == queries.rows);
  MUSTER_CHECK(row_parts.empty() || row_parts.size() == rows_.rows);
  std::vector<Neighbours> out(queries.rows);
  if (count == 0) return out;
  const double error = kSafety * std::sqrt(static_cast<double>(rows_.cols)) *
                       std::numeric_limits<float>::epsilon() * largest_;
  const size_t blocks = (rows_.rows + kRows - 1) / kRows;
  parallel_for(queries.rows, kQueries, [&](size_t first, size_t last) {
    const ConstMatrixView some = queries.slice_rows(first, last - first);
    std::vector<std::vector<Neighbours>> found(blocks, std::vector<Neighbours>(some.rows));
    const auto part = [&](size_t q) { return query_parts.empty() ? 0 : query_parts[first + q]; };
    std::vector<double> norms(some.rows);
    for (size_t q = 0; q < some.rows; ++q) norms[q] = std::sqrt(dot(some.row(q), some.row(q)));
    parallel_for(blocks, 1, [&](size_t block, size_t) {
      const size_t begin = block * kRows, size = std::min(kRows, rows_.rows - begin);
      Matrix<float> products(some.rows, size);
      gemm_nt(some, rows_.slice_rows(begin, size), products);
      for (size_t q = 0; q < some.rows; ++q)
        found[block][q] =
            of_block(products.row(q), begin, 2 * error * norms[q], count, part(q), row_parts);
    });
    parallel_for(some.rows, 1, [&](size_t q, size_t) {
      Neighbours& all = out[first + q];
      for (std::vector<Neighbours>& of_block : found) {
        all.insert(all.end(), of_block[q].begin(), of_block[q].end());
        of_block[q] = {};
      }
      if (all.size() > count) {
        std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(count - 1), nearer);
        const double least = all[count - 1].score - 2 * error * norms[q];
        std::erase_if(all, [&](const Neighbour& one) { return one.score < least; });
      }
      for (Neighbour& one : all)
        one.score = factors_[one.row] * dot(some.row(q), rows_.row(one.row)) - offsets_[one.row];
      keep_nearest(all, count);
      all.shrink_to_fit();
    });
  });
  return out;
}

}  // namespace muster
