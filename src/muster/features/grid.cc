#include "muster/features/grid.h"

namespace muster {

void grid_fields(Fields& f, int& step, std::vector<int>& size, int least_size, const char* paper) {
  f("step", step, "distance of neighbouring patches in pixels").range(1, 1000).paper(paper);
  f("size", size, "side of the square patches in pixels, one or several")
      .range(least_size, 1000)
      .paper(paper);
}

void write_places(const GridAxis& x, const GridAxis& y, int width, int height, size_t begin,
                  Matrix<float>& places) {
  const auto centre = [](const GridAxis& axis, int patch, int length) {
    return static_cast<float>((axis.first_pixel(patch) + 0.5 * axis.size) / length);
  };
  const float scale = static_cast<float>(x.size) / static_cast<float>(std::max(width, height));
  size_t row = begin;
  for (int j = 0; j < y.count; ++j) {
    for (int i = 0; i < x.count; ++i, ++row) {
      places(row, 0) = centre(x, i, width);
      places(row, 1) = centre(y, j, height);
      places(row, 2) = scale;
    }
  }
}

PatchGrids::PatchGrids(int width, int height, std::span<const int> sizes, int step)
    : width_(width), height_(height) {
  for (const int size : sizes) {
    const auto& [x, y] =
        grids_.emplace_back(GridAxis(width, size, step), GridAxis(height, size, step));
    count_ += static_cast<size_t>(x.count) * static_cast<size_t>(y.count);
  }
}

VectorSet PatchGrids::make_set(size_t dim) const {
  VectorSet set{Matrix<float>(count_, dim), Matrix<float>(count_, 3), width_, height_};
  for_each_size([&](const GridAxis& x, const GridAxis& y, size_t row) {
    write_places(x, y, width_, height_, row, set.places);
  });
  return set;
}

}  // namespace muster
