// A grid of values as a picture: one cell each, black for 0 and white for the largest (DSPM figure
// 2).
#pragma once

#include "muster/image/image.h"

namespace muster {

// Values not below 0, at least one; cells are squares of `cell_px`, with thin lines between them.
// All black if all are 0.
Image heat_map(MatrixView<const double> values, double largest, int cell_px);

}  // namespace muster
