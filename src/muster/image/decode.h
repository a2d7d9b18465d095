// Picture files become Images; the only code that knows picture formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "muster/core/options.h"
#include "muster/image/image.h"

namespace muster {

// A picture that has more pixels by its codec than this is refused before any is allocated.
inline constexpr uint64_t kMaxPixels = 100'000'000;

struct DecodeOptions {
  int longest_side_px = 300;
  uint64_t max_pixels = kMaxPixels;  // a lower limit for the pictures of strangers

  void fields(Fields& f) {
    f("longest_side_px", longest_side_px,
      "larger pictures are shrunk to this longest side; 0 keeps the size")
        .range(0, 100000);
  }
};

// Decodes JPEG, PNG, TIFF, BMP, WebP and PNM (PBM, PGM, PPM): grey, colour, palette or CMYK, 8 or
// 16 bits (the upper 8 are kept), upright by its EXIF orientation; transparent pixels are laid on
// white. Larger pictures are shrunk by area averaging to options.longest_side_px; none is enlarged.
// `name` stands for the file in messages. Throws a data error if the bytes are not such a picture,
// damaged, cut short or too large. Thread-safe; uses the calling thread only.
Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const DecodeOptions& options = {});
Image read_image(const std::filesystem::path& path, const DecodeOptions& options = {});

// By area averaging, so that the longest side is at most so many pixels; 0 keeps the size, and no
// picture is enlarged.
Image shrink(Image image, int longest_side_px);

// The picture as the bytes of a PNG file.
std::vector<std::byte> encode_png(const Image& image);
// The same as JPEG, for small pictures in pages.
std::vector<std::byte> encode_jpeg(const Image& image, int quality = 80);

}  // namespace muster
