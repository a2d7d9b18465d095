// The picture formats: how each is recognised by its first bytes and how it is decoded. One file
// per format; decode.h is what the rest of the project sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "muster/core/error.h"
#include "muster/image/byte_reader.h"
#include "muster/image/image.h"

namespace muster {

// The bytes of a picture file, and what is wanted of them.
struct PictureBytes {
  std::span<const std::byte> bytes;
  const std::string& name;  // stands for the file in messages
  int longest_side_px = 0;  // to which the picture will be shrunk; 0 keeps its size
  uint64_t max_pixels = 0;  // of the picture as stored
};

// A picture as its file stores it.
struct StoredPicture {
  Image pixels;
  int width = 0, height = 0;  // of the picture, whatever the decoder made of it
  int orientation = 1;        // EXIF, 1 (upright) .. 8
  // A decoder may divide both sides by 2, 4 or 8 and round them up, if twice the wanted size is
  // left.
  int shrinkage = 1;
};

struct PictureFormat {
  const char* name;
  bool (*recognises)(const ByteReader& in);
  // Calls check_size with what the codec says before it allocates pixels; throws a data error for
  // bytes that are damaged or cut short. Thread-safe; prints nothing.
  StoredPicture (*decode)(const PictureBytes& in);
};

extern const PictureFormat kJpegFormat, kPngFormat, kTiffFormat, kWebpFormat, kBmpFormat,
    kPnmFormat;

// The format of the bytes, by content; nullptr if they begin like none of them.
const PictureFormat* find_format(std::span<const std::byte> bytes);

// That a file of so many bytes may have.
uint64_t most_pixels(const PictureBytes& in);

// Throws a data error unless both sides are at least 1 and the pixels at most most_pixels(in).
void check_size(const PictureBytes& in, const PictureFormat& format, uint64_t width,
                uint64_t height);

// For a decoder to throw; `reason` in a few words, perhaps the codec's own.
Error damaged(const PictureBytes& in, const PictureFormat& format, std::string_view reason);

// Orientation 1 .. 8 in the EXIF data that begin at `in` (a TIFF layout); 1 if they name none.
int exif_orientation(const ByteReader& in);

// A channel (not premultiplied) laid on white.
inline uint8_t on_white(int level, int alpha) {
  return static_cast<uint8_t>((level * alpha + 255 * (255 - alpha) + 127) / 255);
}

// Interleaved R, G, B, alpha (not premultiplied) laid on white.
Image flatten_alpha(std::span<const uint8_t> rgba, int width, int height);

}  // namespace muster
