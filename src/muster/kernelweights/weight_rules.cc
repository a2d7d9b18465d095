#include "muster/kernelweights/weight_rules.h"

namespace muster {

void for_each_pair(
    const KernelTiles& kernels, std::span<const double> largest,
    const std::function<void(size_t p, size_t q, std::span<const double> values)>& body) {
  constexpr size_t kTileSide = 128;
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

}  // namespace muster
