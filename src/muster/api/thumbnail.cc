#include "muster/core/error.h"
#include "muster/image/decode.h"
#include "muster/muster.h"
#include "muster/source/input_source.h"

namespace muster {

std::vector<std::byte> thumbnail(const Input& picture, int longest_side_px) {
  if (longest_side_px < 1)
    throw usage_error("thumbnail: longest_side_px = {}: give 1 or more", longest_side_px);
  return encode_jpeg(InputSource(std::span(&picture, 1)).picture(0, longest_side_px));
}

}  // namespace muster
