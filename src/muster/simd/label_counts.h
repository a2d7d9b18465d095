// Histograms of labelled pixels in the cells of a grid, by running sums: the inner loops of local
// binary patterns. By SIMD with run-time dispatch, on the calling thread; exact.
#pragma once

#include <cstdint>
#include <span>

#include "muster/core/matrix.h"

namespace muster {

// Labels are below it. One histogram fills four cache lines.
inline constexpr size_t kLabelBins = 64;

// sums[kLabelBins x + b] += how many of the labels before x are b; for x = 0 ... labels.size().
// After some rows of a picture: how many pixels above and to the left are labelled b. They may wrap
// around; differences stay right.
void add_label_row(std::span<const uint8_t> labels, std::span<uint32_t> sums);

// Cells between two rows of a picture, `height` pixels apart, and between neighbouring corners of a
// patch along x: corners has (cells + 1) positions per patch, ascending; `below` are the sums at
// the lower row, and `above` those at the upper one, at the corners only, one after the other. Row
// i of `out` gets the cells of patch i, which have as many bins each:
//   sqrt(pixels of the cell with that label / pixels of the cell)
void cell_label_roots(std::span<const uint32_t> above, std::span<const uint32_t> below,
                      std::span<const uint32_t> corners, size_t cells, int height,
                      MatrixView<float> out);

}  // namespace muster
