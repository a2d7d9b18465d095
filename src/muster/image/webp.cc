#include <webp/decode.h>

#include "muster/image/formats.h"

namespace muster {
namespace {

// Of a RIFF file: chunks of a name (4 bytes), a length (4) and a content of even length.
int orientation_of(const ByteReader& in) {
  uint64_t at = 12;
  while (at + 8 <= in.size() && !in.has(at, "EXIF")) at += 8 + (in.le(at + 4, 4) + 1) / 2 * 2;
  const ByteReader exif = in.from(at + 8);
  using namespace std::string_view_literals;
  return exif_orientation(exif.has(0, "Exif\0\0"sv) ? exif.from(6) : exif);
}

StoredPicture decode_webp(const PictureBytes& in) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(in.bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes, in.bytes.size(), &features) != VP8_STATUS_OK)
    throw damaged(in, kWebpFormat, "its header is malformed or cut short");
  if (features.has_animation)
    throw damaged(in, kWebpFormat, "it is animated; save one frame of it as a picture");
  check_size(in, kWebpFormat, static_cast<uint64_t>(features.width),
             static_cast<uint64_t>(features.height));

  const int width = features.width, height = features.height;
  const int channels = features.has_alpha ? 4 : 3;
  std::vector<uint8_t> pixels(size_t{1} * channels * width * height);
  const auto decode = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!decode(bytes, in.bytes.size(), pixels.data(), pixels.size(), channels * width))
    throw damaged(in, kWebpFormat, "its pixels are malformed or cut short");
  Image image = features.has_alpha ? flatten_alpha(pixels, width, height)
                                   : Image{width, height, std::move(pixels)};
  return {std::move(image), width, height, orientation_of(ByteReader(in.bytes))};
}

}  // namespace

const PictureFormat kWebpFormat = {
    "WebP", [](const ByteReader& in) { return in.has(0, "RIFF") && in.has(8, "WEBPVP8"); },
    decode_webp};

}  // namespace muster
