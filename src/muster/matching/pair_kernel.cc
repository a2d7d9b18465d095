#include "muster/matching/pair_kernel.h"

#include <cmath>

#include "muster/setkernel/gram.h"

namespace muster {
namespace {

// A block of local kernel values of 128 x 256 floats is 128 KiB: it stays in the second-level
// cache.
constexpr size_t kBlockRows = 128;
constexpr size_t kBlockCols = 256;
constexpr size_t kSetsPerTile = 4;
constexpr size_t kMaxPairs = size_t{1} << 26;

// A total order of sets; those that are equal in it have the same vectors.
bool comes_first(const StoredSet& x, const StoredSet& y) {
  if (x.vectors.rows() != y.vectors.rows()) return x.vectors.rows() < y.vectors.rows();
  return std::ranges::lexicographical_compare(x.vectors.values(), y.vectors.values());
}

}  // namespace

void for_each_local_block(const LocalKernel& local, const StoredSet& x, const StoredSet& y,
                          const std::function<void(size_t, size_t, MatrixView<float>)>& body) {
  thread_local Matrix<float> buffer(kBlockRows, kBlockCols);
  const std::span<const float> half_x(x.half_norms), half_y(y.half_norms);
  const size_t m = x.vectors.rows(), n = y.vectors.rows();
  for (size_t i = 0; i < m; i += kBlockRows)
    for (size_t j = 0; j < n; j += kBlockCols) {
      const size_t rows = std::min(kBlockRows, m - i), cols = std::min(kBlockCols, n - j);
      const MatrixView<float> block(buffer.data(), rows, cols);
      local.block(x.vectors.view().slice_rows(i, rows), half_x.subspan(i, rows),
                  y.vectors.view().slice_rows(j, cols), half_y.subspan(j, cols), block);
      body(i, j, block);
    }
}

Matrix<float> all_local_values(const char* stage, const LocalKernel& local, const StoredSet& x,
                               const StoredSet& y) {
  const size_t m = x.vectors.rows(), n = y.vectors.rows();
  if (m > 0 && n > kMaxPairs / m)
    throw data_error(
        "{}: sets of {} and {} vectors have more than {} pairs; use fewer features per set, or a "
        "kernel that keeps no pairs, such as match or pmk",
        stage, m, n, kMaxPairs);
  Matrix<float> out(m, n);
  for_each_local_block(local, x, y, [&](size_t row, size_t col, MatrixView<float> block) {
    for (size_t i = 0; i < block.rows; ++i)
      std::ranges::copy(block.row(i), out.row(row + i).begin() + static_cast<ptrdiff_t>(col));
  });
  if (!std::ranges::all_of(out.values(), [](float value) { return std::isfinite(value); }))
    throw data_error(
        "{}: the local kernel of these vectors is out of the range of numbers; scale them by the "
        "stage l2, or use a smaller degree",
        stage);
  return out;
}

std::shared_ptr<const Representation> PairKernel::represent(const VectorSet& set) const {
  return std::make_shared<StoredSet>(set.vectors);
}

void PairKernel::gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                      const Progress& progress) const {
  const bool symmetric = a.data() == b.data() && a.size() == b.size();
  shared_tiles(out, kSetsPerTile, symmetric, progress, [&](const Tile& tile) {
    for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
      for (size_t j = symmetric ? std::max(i, tile.col) : tile.col; j < tile.col + tile.num_cols;
           ++j) {
        const StoredSet &x = stored_set(*a[i]), &y = stored_set(*b[j]);
        const bool empty = x.vectors.rows() == 0 || y.vectors.rows() == 0;
        out(i, j) = empty ? 0 : comes_first(y, x) ? value(y, x) : value(x, y);
      }
  });
  if (symmetric) mirror_upper(out);
}

}  // namespace muster
