// Mean and standard deviation of one channel in a rectangle, in two passes.
#pragma once

#include <cmath>

#include "muster/image/image.h"

namespace muster::oracle {

struct CellStatistics {
  double mean = 0, deviation = 0;
};

inline CellStatistics cell_statistics(const Image& image, int x0, int y0, int x1, int y1,
                                      int channel) {
  const auto value = [&](int x, int y) {
    return image.rgb[3 * (static_cast<size_t>(y) * image.width + x) + channel] / 255.0;
  };
  CellStatistics out;
  const double n = static_cast<double>(x1 - x0) * (y1 - y0);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) out.mean += value(x, y) / n;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) out.deviation += std::pow(value(x, y) - out.mean, 2) / n;
  out.deviation = std::sqrt(out.deviation);
  return out;
}

}  // namespace muster::oracle
