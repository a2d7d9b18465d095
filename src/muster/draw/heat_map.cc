#include "muster/draw/heat_map.h"

#include <cmath>

#include "muster/draw/canvas.h"

namespace muster {

Image heat_map(MatrixView<const double> values, double largest, int cell_px) {
  MUSTER_CHECK(!values.empty() && cell_px > 1);
  constexpr Colour kLine{96, 96, 96};
  Canvas canvas(static_cast<int>(values.cols) * cell_px + 1,
                static_cast<int>(values.rows) * cell_px + 1, kLine);
  for (size_t row = 0; row < values.rows; ++row)
    for (size_t col = 0; col < values.cols; ++col) {
      const double share = largest > 0 ? values(row, col) / largest : 0;
      const auto light = static_cast<uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
      canvas.rectangle(static_cast<int>(col) * cell_px + 1, static_cast<int>(row) * cell_px + 1,
                       cell_px - 1, cell_px - 1, {light, light, light});
    }
  return canvas.image();
}

}  // namespace muster
