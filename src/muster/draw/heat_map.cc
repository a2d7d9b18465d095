#include "muster/draw/heat_map.h"

#include <cmath>

namespace muster {

Image heat_map(MatrixView<const double> values, double largest, int cell_px) {
  MUSTER_CHECK(!values.empty() && cell_px > 1);
  constexpr uint8_t kLine = 96;
  const auto side = static_cast<size_t>(cell_px);
  const size_t width = values.cols * side + 1, height = values.rows * side + 1;
  Image out{static_cast<int>(width), static_cast<int>(height),
            std::vector<uint8_t>(3 * width * height, kLine)};
  for (size_t y = 0; y + 1 < height; ++y)
    for (size_t x = 0; x + 1 < width; ++x) {
      if (x % side == 0 || y % side == 0) continue;
      const double share = largest > 0 ? values(y / side, x / side) / largest : 0;
      const auto light = static_cast<uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
      std::fill_n(out.rgb.begin() + static_cast<ptrdiff_t>(3 * (y * width + x)), 3, light);
    }
  return out;
}

}  // namespace muster
