#include "muster/features/grid.h"

namespace muster {

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

}  // namespace muster
