// Any bytes are a picture or a data error: for the formats that we read by hand, in whole (BMP,
// PNM) or in part (chunks of PNG, EXIF of JPEG). TIFF and WebP are left to their own projects, for
// a few bytes may truly hold a picture of the largest size.
#include "muster/image/decode.h"
#include "muster/image/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const auto bytes = std::as_bytes(std::span(data, size));
  const PictureFormat* format = find_format(bytes);
  if (format == &kTiffFormat || format == &kWebpFormat) return 0;
  try {
    const Image image = decode_image(bytes, "fuzz");
    MUSTER_CHECK(image.rgb.size() == size_t{3} * image.width * image.height);
  } catch (const Error& error) {
    MUSTER_CHECK(error.kind() == ErrorKind::kData);
  }
  return 0;
}
