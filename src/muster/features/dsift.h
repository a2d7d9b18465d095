// Dense SIFT on a regular grid, for speed.
//
// A patch of size x size pixels has 4 x 4 cells of B = size / 4 pixels. Cell (r, c), orientation o:
//   h = W_r W_c sum_p |g(p)| tri((x_p - x_c) / B) tri((y_p - y_r) / B) tri(angle(p) / 45 deg - o),
// tri(u) = max(0, 1 - |u|), W the window's mean over the cell; then h / |h|, clipped at 0.2, again
// to unit length (Lowe, IJCV 2004, section 6). Cell centres x_c = x_0 + B (c +
// 1/2), with x_0 the first pixel of the patch.
//
// Component 8 (4 r + c) + o: cells row by row, orientations from x to y (downwards) within a cell.
#pragma once

#include <memory>
#include <vector>

#include "muster/core/options.h"
#include "muster/features/extractor.h"
#include "muster/features/grid.h"
#include "muster/features/sift_grid.h"

namespace muster {

struct DsiftOptions {
  int step = 8;
  std::vector<int> size = {16};
  double smooth = 0;
  SiftWindow window = SiftWindow::kGaussian;
  double contrast = 0.01;
  double clip = 0.2;

  void fields(Fields& f) {
    grid_fields(f, step, size, 4, "EMK 5");
    f("smooth", smooth,
      "standard deviation in pixels of a Gaussian blur of the picture; 0 for none")
        .range(0, 20);
    f.choice("window", window, {"flat", "gaussian"},
             "weight of a cell by its distance from the middle of the patch");
    f("contrast", contrast,
      "patches with less gradient (grey levels of 255 per pixel) become zero vectors")
        .range(0, 255);
    f("clip", clip, "bound on the components before the second normalisation; 1 for none")
        .range(0.01, 1);
  }
};

// Throws a usage error for options out of range. Patches lie inside the picture, the grid is
// centred; sets list patches size by size, row by row. Place: centre of the patch as a part of
// width and height, scale = size / longest side. A picture smaller than a patch gives no patch of
// that size. Cost per picture: O(pixels * (1 + sizes * size / step)) and 512 bytes per patch.
std::unique_ptr<Extractor> make_dsift(const DsiftOptions& options);

}  // namespace muster
