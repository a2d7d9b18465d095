#include "muster/core/error.h"
#include "muster/muster.h"
#include "muster/source/input_source.h"

namespace muster {

Pixels decode_picture(const EncodedPicture& picture, int longest_side_px) {
  if (longest_side_px < 0)
    throw usage_error("decode_picture: longest_side_px = {}: give 0 or more", longest_side_px);
  Image image = InputSource(std::span(&picture, 1)).picture(0, longest_side_px);
  return {image.width, image.height, std::move(image.rgb)};
}

}  // namespace muster
