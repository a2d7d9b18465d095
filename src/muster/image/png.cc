#include <png.h>

#include "muster/image/decode.h"
#include "muster/image/formats.h"

namespace muster {
namespace {

using namespace std::string_view_literals;

constexpr auto kSignature = "\x89PNG\r\n\x1A\n"sv;

// DEFLATE makes at most 1032 bytes of one.
constexpr uint64_t kMostInflation = 1032;

// Chunks of a file, as positions in it: the length (4 bytes), the kind (4), the content, a checksum
// (4).
struct Chunk {
  uint64_t at = 0, size = 0;  // size of all of it
};

// Calls body(chunk) up to and with IEND; false if the bytes end before it.
template <class Body>
bool for_each_chunk(const ByteReader& in, const Body& body) {
  for (uint64_t at = kSignature.size(); at + 12 <= in.size();) {
    const Chunk chunk{at, 12 + in.be(at, 4)};
    if (chunk.size > in.size() - at) return false;
    body(chunk);
    if (in.has(at + 4, "IEND")) return true;
    at += chunk.size;
  }
  return false;
}

// Texts, times and other metadata can be inflated to any size: libpng sees only the chunks that
// bear on the pixels.
bool bears_on_pixels(const ByteReader& in, const Chunk& chunk) {
  for (const std::string_view kind :
       {"IHDR"sv, "PLTE"sv, "tRNS"sv, "gAMA"sv, "cHRM"sv, "sRGB"sv, "IDAT"sv, "IEND"sv})
    if (in.has(chunk.at + 4, kind)) return true;
  return false;
}

StoredPicture decode_png(const PictureBytes& in) {
  const ByteReader reader(in.bytes);
  std::vector<std::byte> essence(in.bytes.begin(), in.bytes.begin() + kSignature.size());
  StoredPicture out;
  const bool whole = for_each_chunk(reader, [&](const Chunk& chunk) {
    const auto bytes = in.bytes.subspan(chunk.at, chunk.size);
    if (bears_on_pixels(reader, chunk)) essence.insert(essence.end(), bytes.begin(), bytes.end());
    if (reader.has(chunk.at + 4, "eXIf"))
      out.orientation = exif_orientation(ByteReader(bytes).from(8));
  });
  if (!whole) throw data_error("{}: the PNG data are cut short; copy the file again", in.name);

  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto fail = [&] {
    const std::string reason = png.message;
    png_image_free(&png);
    return damaged(in, kPngFormat, reason);
  };
  if (!png_image_begin_read_from_memory(&png, essence.data(), essence.size())) throw fail();
  try {
    check_size(in, kPngFormat, png.width, png.height);
    // One bit per pixel at least.
    if (uint64_t{png.width} * png.height / 8 > kMostInflation * essence.size())
      throw damaged(in, kPngFormat, "too few bytes for its size");
  } catch (...) {
    png_image_free(&png);
    throw;
  }
  const bool has_alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  png.format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // 16 bits are the same scale, not linear light
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr)) throw fail();
  out.width = static_cast<int>(png.width);
  out.height = static_cast<int>(png.height);
  out.pixels = has_alpha ? flatten_alpha(pixels, out.width, out.height)
                         : Image{out.width, out.height, std::move(pixels)};
  return out;
}

}  // namespace

const PictureFormat kPngFormat = {"PNG", [](const ByteReader& in) { return in.has(0, kSignature); },
                                  decode_png};

std::vector<std::byte> encode_png(const Image& image) {
  MUSTER_CHECK(image.width > 0 && image.height > 0);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::byte> out(size);
  const bool ok =
      png_image_write_to_memory(&png, out.data(), &size, 0, image.rgb.data(), 0, nullptr);
  if (!ok) {
    throw runtime_failure("a picture of {} x {} pixels cannot be written as PNG: {}", image.width,
                          image.height, png.message);
  }
  out.resize(size);
  return out;
}

}  // namespace muster
