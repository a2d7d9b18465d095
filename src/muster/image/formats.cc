#include "muster/image/formats.h"

#include "muster/image/decode.h"

namespace muster {
namespace {

// A small file must not become a huge picture: a codec may take eleven bytes per pixel, so that a
// file of a megabyte takes 550 MB at most. Photographs whose blocks can be seen have 30 pixels per
// byte.
constexpr uint64_t kFreePixels = 16'000'000, kMostPixelsPerByte = 50;

}  // namespace

const PictureFormat* find_format(std::span<const std::byte> bytes) {
  const ByteReader in(bytes);
  for (const PictureFormat* format :
       {&kJpegFormat, &kPngFormat, &kTiffFormat, &kWebpFormat, &kBmpFormat, &kPnmFormat})
    if (format->recognises(in)) return format;
  return nullptr;
}

uint64_t most_pixels(const PictureBytes& in) {
  return std::min(in.max_pixels, std::max(kFreePixels, kMostPixelsPerByte * in.bytes.size()));
}

void check_size(const PictureBytes& in, const PictureFormat& format, uint64_t width,
                uint64_t height) {
  if (width == 0 || height == 0) {
    throw data_error("{}: the {} header is damaged or cut short; copy the file again", in.name,
                     format.name);
  }
  if (width > in.max_pixels / height) {
    throw data_error("{}: {} x {} pixels are more than the {} million allowed; shrink the picture",
                     in.name, width, height, in.max_pixels / 1'000'000);
  }
  if (width * height > most_pixels(in))
    throw data_error(
        "{}: too few bytes for its {} x {} pixels (above {} million, at most {} pixels per byte "
        "are "
        "allowed); shrink the picture, or copy the file again if it was cut short",
        in.name, width, height, kFreePixels / 1'000'000, kMostPixelsPerByte);
}

Error damaged(const PictureBytes& in, const PictureFormat& format, std::string_view reason) {
  return data_error("{}: damaged or unsupported {} data ({}); copy the file again or leave it out",
                    in.name, format.name, reason);
}

int exif_orientation(const ByteReader& in) {
  constexpr uint64_t kOrientationTag = 274, kMostEntries = 4096;
  const bool big_endian = in.has(0, "MM");
  const uint64_t directory = in.number(4, 4, big_endian);
  const uint64_t entries = std::min(in.number(directory, 2, big_endian), kMostEntries);
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = directory + 2 + 12 * i;
    if (in.number(entry, 2, big_endian) != kOrientationTag) continue;
    const uint64_t value = in.number(entry + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image flatten_alpha(std::span<const uint8_t> rgba, int width, int height) {
  Image image{width, height, std::vector<uint8_t>(rgba.size() / 4 * 3)};
  uint8_t* out = image.rgb.data();
  for (size_t i = 0; i < rgba.size(); i += 4, out += 3)
    for (size_t c = 0; c < 3; ++c) out[c] = on_white(rgba[i + c], rgba[i + 3]);
  return image;
}

}  // namespace muster
