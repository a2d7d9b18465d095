// Any bytes of one format are a picture or a data error. MUSTER_FUZZED_FORMAT says which format, so
// that each has a target, and a count of executions, of its own. What would stop almost every input
// at the door is put right first: the bytes by which a format is recognised, and the checksums of
// PNG. A few bytes may truly hold a large picture, so that the limit is low: most of the time would
// go into pixels.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "muster/image/decode.h"
#include "muster/image/formats.h"

namespace {

using namespace muster;
using namespace std::string_view_literals;
using Bytes = std::vector<std::byte>;

const PictureFormat& kFormat = MUSTER_FUZZED_FORMAT;
constexpr uint64_t kMostPixels = 5'000;

void put(Bytes& bytes, size_t at, std::string_view text) {
  if (bytes.size() < at + text.size()) bytes.resize(at + text.size());
  std::memcpy(bytes.data() + at, text.data(), text.size());
}

void make_recognisable(Bytes& bytes) {
  if (find_format(bytes) == &kFormat) return;
  const bool even = !bytes.empty() && std::to_integer<int>(bytes[0]) % 2 == 0;
  if (&kFormat == &kJpegFormat) put(bytes, 0, "\xFF\xD8\xFF"sv);
  if (&kFormat == &kPngFormat) put(bytes, 0, "\x89PNG\r\n\x1A\n"sv);
  if (&kFormat == &kTiffFormat) put(bytes, 0, even ? "II*\0"sv : "MM\0*"sv);
  if (&kFormat == &kBmpFormat) put(bytes, 0, "BM"sv);
  if (&kFormat == &kPnmFormat) put(bytes, 0, even ? "P6 "sv : "P3 "sv);
  if (&kFormat == &kWebpFormat) {
    put(bytes, 0, "RIFF"sv);
    put(bytes, 8, "WEBPVP8"sv);
  }
}

// Each chunk: length, kind, content, checksum of kind and content.
void sign_png(Bytes& bytes) {
  const auto read = [&](size_t at) { return static_cast<size_t>(ByteReader(bytes).be(at, 4)); };
  for (size_t at = 8; at + 12 <= bytes.size() && read(at) <= bytes.size() - at - 12;) {
    const size_t length = read(at), end = at + 8 + length;
    const auto* kind = reinterpret_cast<const unsigned char*>(bytes.data() + at + 4);
    const uint64_t sum = crc32(0, kind, static_cast<unsigned>(length + 4));
    for (size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<std::byte>(sum >> (24 - 8 * i));
    at = end + 4;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  Bytes bytes(given.begin(), given.end());
  make_recognisable(bytes);
  if (&kFormat == &kPngFormat) sign_png(bytes);
  MUSTER_CHECK(find_format(bytes) == &kFormat);
  try {
    const Image image = decode_image(bytes, "fuzz", {.max_pixels = kMostPixels});
    MUSTER_CHECK(image.width > 0 && image.height > 0);
    MUSTER_CHECK(image.rgb.size() == size_t{3} * image.width * image.height);
  } catch (const Error& error) {
    MUSTER_CHECK(error.kind() == ErrorKind::kData);
  }
  return 0;
}
