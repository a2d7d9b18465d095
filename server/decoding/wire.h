// What the server and a process that decodes pictures for it say to each other, over a pair of
// connected sockets: an AskedPicture, its name and its bytes; then a DecodedPicture and its pixels,
// or the reason why there are none. Both ends are the same program on the same machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::server {

struct AskedPicture {
  uint64_t name_bytes = 0, bytes = 0;
  uint64_t max_pixels = 0;
  int64_t longest_side_px = 0;
};

struct DecodedPicture {
  uint64_t bytes = 0;  // of the pixels, 3 * width * height, or of the reason
  int32_t width = 0, height = 0;
  uint32_t failed = 0;
  uint32_t unused = 0;
};

// Decoding takes a second at most (docs/security.md); a process that takes longer is ended.
inline constexpr int kDecodingSeconds = 20;
inline constexpr size_t kLongestReason = 4096;

}  // namespace muster::server
