// Drawn pictures for tests.
#pragma once

#include <cmath>

#include "muster/core/rng.h"
#include "muster/image/image.h"

namespace muster {

template <class Pixel>
Image make_picture(int width, int height, Pixel pixel) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) image.rgb.push_back(static_cast<uint8_t>(pixel(x, y, c)));
  return image;
}

inline Image flat_picture(int width, int height, int value) {
  return make_picture(width, height, [=](int, int, int) { return value; });
}
inline Image noise_picture(int width, int height, uint64_t seed = 1) {
  Rng rng(seed);
  return make_picture(width, height, [&](int, int, int) { return rng.below(256); });
}
inline Image wave_picture(int width, int height) {
  return make_picture(width, height, [](int x, int y, int c) {
    return 128 + 100 * std::sin(0.2 * x + 0.003 * x * y + 0.4 * c) * std::cos(0.15 * y);
  });
}
inline Image step_picture(int width, int height) {
  return make_picture(width, height,
                      [=](int x, int y, int) { return 2 * x > width ? 255 : y % 8 == 0; });
}

}  // namespace muster
