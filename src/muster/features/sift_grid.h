// SIFT histograms of all patches of one size on a grid, fed with orientation planes row by row.
// Used by dsift on pictures and by sift on the warped neighbourhood of an interest point.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/features/grid.h"
#include "muster/simd/sift_simd.h"

namespace muster {

// Gaussian: Lowe's window (standard deviation of half the patch), averaged over each cell, so that
// neighbouring patches can share cells.
enum class SiftWindow { kFlat, kGaussian };

struct SiftGridOptions {
  int step = 8;
  SiftWindow window = SiftWindow::kGaussian;
  double contrast = 0, clip = 0.2;
};

// The weighted sums that the patches of a grid need along one axis, each once, grouped by their
// weights.
struct AxisSums {
  struct Group {
    std::vector<float> weights;
    std::vector<int32_t> first;  // first pixel of each sum, ascending
    size_t begin = 0;            // index of the group's first sum
  };
  std::vector<Group> groups;
  std::vector<uint32_t> of_patch;  // 4 per patch: index of the sum of each cell
  size_t count = 0;

  explicit AxisSums(const GridAxis& grid);
};

class SiftGrid {
 public:
  SiftGrid(int width, int height, int size, const SiftGridOptions& options);

  size_t patches() const { return static_cast<size_t>(x_grid_.count) * y_grid_.count; }
  const GridAxis& x_grid() const { return x_grid_; }
  const GridAxis& y_grid() const { return y_grid_; }

  // Pixels by which the outer cells reach beyond their patch, and so beyond the picture.
  int margin() const { return (x_grid_.size + 7) / 8; }

  // `planes` is row y of the picture's orientation planes, from -margin to height + margin, with as
  // many pixels more to both sides. Rows come in any order, each once.
  void add_row(int y, const float* planes);
  // Writes 128 floats per patch, row by row; after all rows have been added.
  void write(float* out) const;

 private:
  GridAxis x_grid_, y_grid_;
  AxisSums x_, y_;
  SiftNorm norm_;
  AlignedVector<float> sums_;
  Matrix<float> cells_;
};

// Feeds the gradients of a grey picture (at least 2 x 2 pixels) to all grids. Beyond the border,
// the gradients of the border pixels go on.
void add_gradients(const Matrix<float>& grey, std::vector<SiftGrid>& grids);

}  // namespace muster
