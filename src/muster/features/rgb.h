// RGB statistics: mean and standard deviation of R, G, B in the 4 x 4 cells of a patch (UGM
// section 4.1), on the same grids as dsift.
//
// Component 6 (4 r + c) + j of cell (r, c): j = 0, 1, 2 the means of R, G, B, j = 3, 4, 5 their
// standard deviations (over the pixels of the cell), all with channel values scaled to [0, 1].
#pragma once

#include <memory>
#include <vector>

#include "muster/core/options.h"
#include "muster/features/extractor.h"
#include "muster/features/grid.h"

namespace muster {

struct RgbOptions {
  int step = 8;
  std::vector<int> size = {16};

  void fields(Fields& f) { grid_fields(f, step, size, 4, "UGM 4.1"); }
};

// Throws a usage error for options out of range. Order and places as in make_dsift. Cell c covers
// the pixels from floor(c size / 4) to floor((c + 1) size / 4) of its patch. Cost per picture:
// O(pixels + 96 patches).
std::unique_ptr<Extractor> make_rgb(const RgbOptions& options);

}  // namespace muster
