#include "muster/setkernel/gram.h"

#include <fstream>
#include <string>

#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

// The memory that can be used without swapping, as the system says; 0 if it does not say.
size_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  size_t kib = 0;
  std::string unit;
  while (file >> key >> kib) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return kib * 1024;
  }
  return 0;
}

std::vector<Tile> tiles_of(size_t rows, size_t cols, size_t tile_side, bool symmetric) {
  std::vector<Tile> tiles;
  for (size_t row = 0; row < rows; row += tile_side)
    for (size_t col = symmetric ? row : 0; col < cols; col += tile_side)
      tiles.push_back({row, std::min(tile_side, rows - row), col, std::min(tile_side, cols - col)});
  return tiles;
}

}  // namespace

void for_each_tile(size_t rows, size_t cols, size_t tile_side, bool symmetric,
                   const Progress& progress, const std::function<void(const Tile&)>& body) {
  const std::vector<Tile> tiles = tiles_of(rows, cols, tile_side, symmetric);
  ProgressStep step(progress, "kernel matrix", tiles.size());
  parallel_for(tiles.size(), 1, [&](size_t t, size_t) {
    body(tiles[t]);
    step.tick();
  });
}

void shared_tiles(MatrixView<double> out, size_t tile_side, bool symmetric,
                  const Progress& progress, const std::function<void(const Tile&)>& body) {
  const std::vector<Tile> tiles = tiles_of(out.rows, out.cols, tile_side, symmetric);
  const size_t ranks = divides_here() ? world().size() : 1;
  ProgressStep step(progress, "kernel matrix", units_with_sending(tiles.size()));
  const SharedRows values = [&](size_t t) {
    const Tile& tile = tiles[t];
    return shared_bytes(
        MatrixView<double>(&out(tile.row, tile.col), tile.num_rows, tile.num_cols, out.stride));
  };
  shared_for(tiles.size(), 1, {values}, [&](size_t t, size_t) {
    body(tiles[t]);
    step.tick(std::min(ranks, tiles.size() - t));  // the others do as much meanwhile
  });
  if (divides_here()) step.tick();
}

void mirror_upper(MatrixView<double> gram) {
  MUSTER_CHECK(gram.rows == gram.cols);
  for (size_t i = 0; i < gram.rows; ++i)
    for (size_t j = 0; j < i; ++j) gram(i, j) = gram(j, i);
}

double mean_off_diagonal(MatrixView<const double> values) {
  if (values.rows < 2) return 0;
  double sum = 0;
  for (size_t i = 0; i < values.rows; ++i)
    for (size_t j = 0; j < values.cols; ++j)
      if (i != j) sum += values(i, j);
  return sum / (static_cast<double>(values.rows) * static_cast<double>(values.rows - 1));
}

void check_gram_memory(size_t rows, size_t cols, size_t copies) {
  const double needed = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(double) *
                        static_cast<double>(copies);
  const auto available = static_cast<double>(available_memory_bytes());
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (available > 0 && needed > 0.8 * available)
    throw runtime_failure(
        "kernel matrix: {} x {} needs {:.1f} GiB, and {:.1f} GiB of memory are free; use fewer "
        "items or a method with a linear classifier (such as bow-linear), which needs no kernel "
        "matrix",
        rows, cols, needed / kGiB, available / kGiB);
}

}  // namespace muster
