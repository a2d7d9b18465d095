#include "muster/pyramid/shared_bins.h"

#include <optional>
#include <utility>

#include "muster/core/parallel.h"
#include "muster/setkernel/gram.h"
#include "muster/simd/weighted_minima.h"

namespace muster {
namespace {

constexpr size_t kSparseAtOnce = size_t{1} << 23;  // counts kept back: 64 MiB
constexpr size_t kDenseAtOnce = 2048;              // columns
constexpr size_t kRowsPerTask = 8;
constexpr size_t kTileSide = 64;
// Per pair, a dense column takes about a tenth of the time of a sparse one.
constexpr size_t kDenseShare = 3;

// The positions of the rows' sets in the bins of a list, row by row.
class RowPlaces {
 public:
  RowPlaces(const BinList& list, size_t num_rows)
      : list_(list), row_starts_(num_rows + 1), first_cols_(list.size()) {
    for (const BinCount& entry : list.counts)
      if (entry.set < num_rows) ++row_starts_[entry.set + 1];
    for (size_t i = 0; i < num_rows; ++i) row_starts_[i + 1] += row_starts_[i];
    places_.resize(row_starts_[num_rows]);
    std::vector<uint32_t> next(row_starts_.begin(), row_starts_.end() - 1);
    for (size_t bin = 0; bin < list.size(); ++bin) {
      size_t at = list.starts[bin];
      for (; at < list.starts[bin + 1] && list.counts[at].set < num_rows; ++at)
        places_[next[list.counts[at].set]++] = {static_cast<uint32_t>(bin),
                                                static_cast<uint32_t>(at)};
      first_cols_[bin] = static_cast<uint32_t>(at);
    }
  }

  // Adds row i: the columns behind its set in each of its bins.
  void add_row(size_t i, const SetPairs& pairs, double* row) const {
    const size_t first_set = pairs.symmetric ? 0 : pairs.num_rows;
    for (size_t p = row_starts_[i]; p < row_starts_[i + 1]; ++p) {
      const auto [bin, at] = places_[p];
      const uint32_t own = list_.counts[at].count;
      const double weight = list_.weights[bin];
      for (size_t e = pairs.symmetric ? at + size_t{1} : first_cols_[bin];
           e < list_.starts[bin + 1]; ++e)
        row[list_.counts[e].set - first_set] +=
            weight * static_cast<int32_t>(std::min(own, list_.counts[e].count));
    }
  }

 private:
  struct Place {
    uint32_t bin;
    uint32_t at;
  };

  const BinList& list_;
  std::vector<uint32_t> row_starts_;
  std::vector<Place> places_;
  std::vector<uint32_t> first_cols_;  // where the columns begin in a bin
};

}  // namespace

void BinList::add(double weight, std::span<const BinCount> bin) {
  counts.insert(counts.end(), bin.begin(), bin.end());
  starts.push_back(counts.size());
  weights.push_back(weight);
}

SharedBins::SharedBins(const SetPairs& pairs)
    : pairs_(pairs), dense_from_(std::max<size_t>(16, pairs.num_sets() / kDenseShare)) {}

void SharedBins::add(double weight, std::span<const BinCount> counts) {
  if (weight == 0 || counts.size() < 2) return;
  if (!pairs_.symmetric &&
      (counts.front().set >= pairs_.num_rows || counts.back().set < pairs_.num_rows))
    return;
  (counts.size() >= dense_from_ ? dense_ : sparse_).add(weight, counts);
}

IntersectionSums::IntersectionSums(const SetPairs& pairs, MatrixView<double> out)
    : pairs_(pairs), out_(out) {
  MUSTER_CHECK(out.rows == pairs.num_rows && out.cols == pairs.num_cols &&
               (!pairs.symmetric || pairs.num_rows == pairs.num_cols));
}

void IntersectionSums::take(SharedBins bins) {
  num_sparse_counts_ += bins.sparse_.counts.size();
  sparse_.push_back(std::move(bins.sparse_));
  if (num_sparse_counts_ >= kSparseAtOnce) flush_sparse();
  for (size_t bin = 0; bin < bins.dense_.size(); ++bin) {
    dense_.add(bins.dense_.weights[bin], bins.dense_.bin(bin));
    if (dense_.size() == kDenseAtOnce) flush_dense();
  }
}

void IntersectionSums::finish() {
  flush_sparse();
  flush_dense();
}

void IntersectionSums::flush_sparse() {
  std::vector<std::optional<RowPlaces>> places(sparse_.size());
  parallel_for(sparse_.size(), 1,
               [&](size_t i, size_t) { places[i].emplace(sparse_[i], pairs_.num_rows); });
  parallel_for(pairs_.num_rows, kRowsPerTask, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (const auto& in_list : places) in_list->add_row(i, pairs_, out_.row(i).data());
  });
  sparse_.clear();
  num_sparse_counts_ = 0;
}

void IntersectionSums::flush_dense() {
  if (dense_.size() == 0) return;
  // One row per set, so that the sums run along rows.
  Matrix<double> columns(pairs_.num_sets(), dense_.size());
  for (size_t bin = 0; bin < dense_.size(); ++bin)
    for (const auto [set, count] : dense_.bin(bin)) columns(set, bin) = count;
  const size_t first_col = pairs_.symmetric ? 0 : pairs_.num_rows;
  for_each_tile(
      pairs_.num_rows, pairs_.num_cols, kTileSide, pairs_.symmetric, {}, [&](const Tile& tile) {
        add_weighted_minima(columns.view().slice_rows(tile.row, tile.num_rows),
                            columns.view().slice_rows(first_col + tile.col, tile.num_cols),
                            dense_.weights,
                            {&out_(tile.row, tile.col), tile.num_rows, tile.num_cols, out_.stride});
      });
  dense_ = {};
}

}  // namespace muster
