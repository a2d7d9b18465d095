// A decoded picture: 8-bit RGB, upright. A grey picture has three equal channels.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

struct Image {
  int width = 0;
  int height = 0;
  // height x width x 3, interleaved R, G, B.
  std::vector<uint8_t> rgb;

  bool operator==(const Image&) const = default;
};

// Luma in [0, 255], height x width (Rec. 601 weights; exact for grey pictures).
Matrix<float> grey(const Image& image);

}  // namespace muster
