#include "muster/kernelweights/weight_rules.h"

#include <numeric>

namespace muster {
namespace {

constexpr size_t kTileSide = 128;

// Calls body(tile, values of all kernels there) for every tile on and above the diagonal, over
// threads.
template <class Body>
void over_tiles(const KernelTiles& kernels, const Body& body) {
  for_each_tile(kernels.num_items, kernels.num_items, kTileSide, true, {}, [&](const Tile& tile) {
    Matrix<double> values(kernels.num_kernels, tile.num_rows * tile.num_cols);
    kernels.fill(tile, values);
    body(tile, values);
  });
}

}  // namespace

void for_each_pair(
    const KernelTiles& kernels, std::span<const double> largest,
    const std::function<void(size_t p, size_t q, std::span<const double> values)>& body) {
  const size_t n = kernels.num_items;
  std::vector<double> pair(kernels.num_kernels);
  for (size_t row = 0; row < n; row += kTileSide)
    for (size_t col = row; col < n; col += kTileSide) {
      const Tile tile{row, std::min(kTileSide, n - row), col, std::min(kTileSide, n - col)};
      Matrix<double> values(kernels.num_kernels, tile.num_rows * tile.num_cols);
      kernels.fill(tile, values);
      for (size_t i = 0; i < tile.num_rows; ++i)
        for (size_t j = 0; j < tile.num_cols; ++j) {
          if (col + j < row + i) continue;
          for (size_t k = 0; k < pair.size(); ++k)
            pair[k] = values(k, i * tile.num_cols + j) / largest[k];
          body(row + i, col + j, pair);
        }
    }
}

Matrix<double> weighted_sum(const KernelTiles& kernels, std::span<const double> weights) {
  Matrix<double> out(kernels.num_items, kernels.num_items);
  over_tiles(kernels, [&](const Tile& tile, const Matrix<double>& values) {
    for (size_t k = 0; k < weights.size(); ++k)
      for (size_t i = 0; i < tile.num_rows; ++i)
        for (size_t j = 0; j < tile.num_cols; ++j)
          out(tile.row + i, tile.col + j) += weights[k] * values(k, i * tile.num_cols + j);
  });
  mirror_upper(out);
  return out;
}

std::vector<double> sums_over_pairs(const KernelTiles& kernels, const PairFactors& fill) {
  const size_t side = (kernels.num_items + kTileSide - 1) / kTileSide;
  Matrix<double> of_tile(side * side,
                         kernels.num_kernels);  // added in order: threads do not change a bit
  over_tiles(kernels, [&](const Tile& tile, const Matrix<double>& values) {
    std::vector<double> pairs(tile.num_rows * tile.num_cols);
    fill(tile, pairs);
    const std::span<double> out = of_tile.row(tile.row / kTileSide * side + tile.col / kTileSide);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = (tile.row == tile.col ? 1 : 2) *
               std::inner_product(pairs.begin(), pairs.end(), values.row(k).begin(), 0.0);
  });
  std::vector<double> out(kernels.num_kernels);
  for (size_t t = 0; t < of_tile.rows(); ++t)
    for (size_t k = 0; k < out.size(); ++k) out[k] += of_tile(t, k);
  return out;
}

}  // namespace muster
