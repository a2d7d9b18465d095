// What every Gram matrix needs: tiles over threads, symmetry, and a check of the memory beforehand.
#pragma once

#include <functional>

#include "muster/core/matrix.h"
#include "muster/core/progress.h"

namespace muster {

struct Tile {
  size_t row, num_rows, col, num_cols;
};

// Calls body once for every tile of a rows x cols matrix, over threads. With `symmetric` only the
// tiles on and above the diagonal are visited, and the caller mirrors them (mirror_upper).
void for_each_tile(size_t rows, size_t cols, size_t tile_side, bool symmetric,
                   const Progress& progress, const std::function<void(const Tile&)>& body);

// The same over ranks as well: body writes its tile of `out`, and nothing else, and all ranks get
// all tiles.
void shared_tiles(MatrixView<double> out, size_t tile_side, bool symmetric,
                  const Progress& progress, const std::function<void(const Tile&)>& body);

// Copies the upper triangle to the lower one.
void mirror_upper(MatrixView<double> gram);

// Of a square matrix of at least two rows; 0 of a smaller one.
double mean_off_diagonal(MatrixView<const double> values);

// Throws, with advice, if `copies` matrices of rows x cols doubles would not fit into the memory
// that is free now.
void check_gram_memory(size_t rows, size_t cols, size_t copies = 1);

}  // namespace muster
