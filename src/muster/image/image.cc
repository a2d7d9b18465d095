#include "muster/image/image.h"

namespace muster {

Matrix<float> grey(const Image& image) {
  MUSTER_CHECK(image.rgb.size() == size_t{3} * image.width * image.height);
  Matrix<float> out(image.height, image.width);
  // Rec. 601 weights in units of 2^-16; they sum to 1 exactly, so a grey pixel keeps its value.
  const uint8_t* in = image.rgb.data();
  for (float& value : out.values()) {
    value = static_cast<float>(19595 * in[0] + 38470 * in[1] + 7471 * in[2]) * (1.0f / 65536);
    in += 3;
  }
  return out;
}

}  // namespace muster
