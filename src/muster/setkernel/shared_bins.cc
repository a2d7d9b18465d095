#include "muster/setkernel/shared_bins.h"

#include "muster/core/parallel.h"
#include "muster/math/weighted_minima.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kSparseAtOnce = size_t{1} << 23;  // counts kept back: 64 MiB
constexpr size_t kDenseAtOnce = 2048;              // columns
constexpr size_t kRowsPerTask = 8;
constexpr size_t kTileSide = 64;
// A dense column costs about a tenth of the time a pair that a sparse one does.
constexpr size_t kDenseShare = 3;

}  // namespace

IntersectionSums::IntersectionSums(size_t num_rows, size_t num_cols, bool symmetric,
                                   MatrixView<double> out)
    : num_rows_(num_rows),
      num_cols_(num_cols),
      symmetric_(symmetric),
      out_(out),
      dense_from_(
          std::max<size_t>(16, (symmetric ? num_rows : num_rows + num_cols) / kDenseShare)) {
  MUSTER_CHECK(out.rows == num_rows && out.cols == num_cols &&
               (!symmetric || num_rows == num_cols));
}

IntersectionSums::~IntersectionSums() = default;

void IntersectionSums::add(double weight, std::span<const BinCount> counts) {
  if (weight == 0 || counts.size() < 2) return;
  if (!symmetric_ && (counts.front().set >= num_rows_ || counts.back().set < num_rows_)) return;
  const bool dense = counts.size() >= dense_from_;
  std::vector<BinCount>& into = dense ? dense_counts_ : counts_;
  into.insert(into.end(), counts.begin(), counts.end());
  (dense ? dense_starts_ : starts_).push_back(into.size());
  (dense ? dense_weights_ : weights_).push_back(weight);
  if (dense && dense_weights_.size() == kDenseAtOnce) flush_dense();
  if (!dense && counts_.size() >= kSparseAtOnce) flush_sparse();
}

void IntersectionSums::finish() {
  flush_sparse();
  flush_dense();
}

// Row by row: where a row's set stands in the bins, then the sets behind it in each of them.
void IntersectionSums::flush_sparse() {
  struct Place {
    uint32_t bin;
    uint32_t at;
  };
  std::vector<size_t> row_starts(num_rows_ + 1);
  for (const BinCount& entry : counts_)
    if (entry.set < num_rows_) ++row_starts[entry.set + 1];
  for (size_t i = 0; i < num_rows_; ++i) row_starts[i + 1] += row_starts[i];
  std::vector<Place> places(row_starts[num_rows_]);
  std::vector<uint32_t> first_col(weights_.size());  // where the columns begin in a bin
  std::vector<size_t> next(row_starts.begin(), row_starts.end() - 1);
  for (size_t bin = 0; bin < weights_.size(); ++bin) {
    size_t at = starts_[bin];
    for (; at < starts_[bin + 1] && counts_[at].set < num_rows_; ++at)
      places[next[counts_[at].set]++] = {static_cast<uint32_t>(bin), static_cast<uint32_t>(at)};
    first_col[bin] = static_cast<uint32_t>(at);
  }
  const size_t first_set = symmetric_ ? 0 : num_rows_;
  parallel_for(num_rows_, kRowsPerTask, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      double* row = out_.row(i).data();
      for (size_t p = row_starts[i]; p < row_starts[i + 1]; ++p) {
        const auto [bin, at] = places[p];
        const uint32_t own = counts_[at].count;
        const double weight = weights_[bin];
        for (size_t e = symmetric_ ? at + size_t{1} : first_col[bin]; e < starts_[bin + 1]; ++e)
          row[counts_[e].set - first_set] +=
              weight * static_cast<int32_t>(std::min(own, counts_[e].count));
      }
    }
  });
  counts_.clear();
  starts_.assign(1, 0);
  weights_.clear();
}

void IntersectionSums::flush_dense() {
  const size_t num_bins = dense_weights_.size();
  if (num_bins == 0) return;
  const size_t num_sets = symmetric_ ? num_rows_ : num_rows_ + num_cols_;
  Matrix<double> columns(num_sets, num_bins);  // one row a set, so that the sums run along rows
  for (size_t bin = 0; bin < num_bins; ++bin)
    for (size_t e = dense_starts_[bin]; e < dense_starts_[bin + 1]; ++e)
      columns(dense_counts_[e].set, bin) = dense_counts_[e].count;
  const size_t first_col = symmetric_ ? 0 : num_rows_;
  for_each_tile(num_rows_, num_cols_, kTileSide, symmetric_, {}, [&](const Tile& tile) {
    add_weighted_minima(columns.view().slice_rows(tile.row, tile.num_rows),
                        columns.view().slice_rows(first_col + tile.col, tile.num_cols),
                        dense_weights_,
                        {&out_(tile.row, tile.col), tile.num_rows, tile.num_cols, out_.stride});
  });
  dense_counts_.clear();
  dense_starts_.assign(1, 0);
  dense_weights_.clear();
}

}  // namespace muster
