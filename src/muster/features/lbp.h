// Local binary patterns (Ojala, Pietikainen & Maenpaa, PAMI 2002): a texture descriptor (DSPM
// section 5), on the same grids as dsift. Every pixel has a code of 8 bits, bit k being set if
// its k-th neighbour (clockwise from the upper left one) is not darker than itself. The 58 codes
// with at most two changes between 0 and 1 around the circle ("uniform") have a bin each, all
// others share one: 59 bins, counted in the 2 x 2 cells of a patch.
//
// Component 59 (2 r + c) + bin of cell (r, c) is the square root of the bin's share of the cell's
// pixels, so that every cell has length 1 and dot products are Hellinger affinities. Pixels beyond
// an edge are those on it.
#pragma once

#include <memory>
#include <vector>

#include "muster/core/options.h"
#include "muster/features/extractor.h"
#include "muster/features/grid.h"

namespace muster {

struct LbpOptions {
  int step = 8;
  std::vector<int> size = {16};

  void fields(Fields& f) { grid_fields(f, step, size, 2, "DSPM 5"); }
};

// Throws a usage error for options out of range. Order and places as in make_dsift; cell c covers
// the pixels from floor(c size / 2) to floor((c + 1) size / 2) of its patch. Cost per picture:
// O(64 pixels + 236 patches).
std::unique_ptr<Extractor> make_lbp(const LbpOptions& options);

}  // namespace muster
