#include <gtest/gtest.h>
#include <zlib.h>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

Bytes chunk(std::string_view kind, const Bytes& content) {
  Bytes body = text_bytes(kind), out;
  append(body, content);
  append_be(out, content.size(), 4);
  append(out, body);
  append_be(out,
            crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())),
            4);
  return out;
}

Bytes deflated(const Bytes& plain) {
  uLongf size = compressBound(plain.size());
  Bytes out(size);
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  out.resize(size);
  return out;
}

enum ColourType { kGrey = 0, kRgb = 2, kRgba = 6 };

// `rows`: samples, each row led by the number of its filter (0: none).
Bytes make_png(int width, int height, int bits, ColourType type, const Bytes& rows,
               const Bytes& extra_chunks = {}) {
  Bytes header, out = text_bytes("\x89PNG\r\n\x1A\n");
  append_be(header, static_cast<uint64_t>(width), 4);
  append_be(header, static_cast<uint64_t>(height), 4);
  append(header, {bits, type, 0, 0, 0});
  append(out, chunk("IHDR", header));
  append(out, extra_chunks);
  append(out, chunk("IDAT", deflated(rows)));
  append(out, chunk("IEND", {}));
  return out;
}

TEST(Png, RoundTrip) {
  const Image image{2, 1, {1, 2, 3, 250, 251, 252}};
  EXPECT_EQ(decode_image(encode_png(image), "a"), image);
  EXPECT_EQ(decode_image(encode_png(noise_picture(31, 17)), "a"), noise_picture(31, 17));
}

TEST(Png, SixteenBitsKeepTheUpperEight) {
  const Bytes grey = make_png(1, 1, 16, kGrey, bytes_of({0, 200, 200}));
  EXPECT_EQ(decode_image(grey, "a"), (Image{1, 1, {200, 200, 200}}));
  const Bytes colour = make_png(1, 1, 16, kRgb, bytes_of({0, 30, 30, 20, 20, 10, 10}));
  EXPECT_EQ(decode_image(colour, "a"), (Image{1, 1, {30, 20, 10}}));
}

TEST(Png, AlphaIsLaidOnWhite) {
  const Bytes png =
      make_png(3, 1, 8, kRgba, bytes_of({0, 200, 0, 0, 0, 200, 0, 0, 128, 200, 0, 0, 255}));
  EXPECT_EQ(decode_image(png, "a"), (Image{3, 1, {255, 255, 255, 227, 127, 127, 200, 0, 0}}));
  const Bytes deep = make_png(1, 1, 16, kRgba, bytes_of({0, 255, 255, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(decode_image(deep, "a"), (Image{1, 1, {255, 255, 255}}));
}

TEST(Png, ExifOrientationIsApplied) {
  Bytes exif = text_bytes("MM");
  append(exif, {0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0});
  const Bytes png = make_png(2, 1, 8, kGrey, bytes_of({0, 10, 200}), chunk("eXIf", exif));
  EXPECT_EQ(decode_image(png, "a"), (Image{1, 2, {10, 10, 10, 200, 200, 200}}));
}

// 400 texts that inflate to 4 MB each: a decoder that keeps them takes 1.6 GB.
TEST(Png, TextsAreNotInflated) {
  Bytes text = text_bytes("k");
  append(text, {0, 0});
  append(text, deflated(Bytes(4'000'000)));
  Bytes texts;
  for (int i = 0; i < 400; ++i) append(texts, chunk("zTXt", text));
  const Bytes png = make_png(1, 1, 8, kGrey, bytes_of({0, 77}), texts);
  EXPECT_EQ(decode_image(png, "a"), (Image{1, 1, {77, 77, 77}}));
}

TEST(Png, AbsurdSizesAreRefused) {
  expect_refused(make_png(0x7FFFFFF, 9, 8, kGrey, {}), "PNG");
  expect_refused(make_png(100'000, 100'000, 8, kGrey, {}), "pixels are more than");
  expect_refused(make_png(9000, 9000, 8, kGrey, {}), "too few bytes");
  expect_refused(make_png(0, 1, 8, kGrey, {}), "PNG");
}

TEST(Png, ChunksThatReachBeyondTheEndAreRefused) {
  Bytes png = encode_png(flat_picture(4, 4, 9));
  png[33] = std::byte{0x7F};  // the length of the first chunk after the header
  expect_refused(png, "cut short");
}

TEST(Png, ASmallFileMustNotBecomeAHugePicture) {
  const Bytes flat = encode_png(flat_picture(5000, 5000, 255));
  EXPECT_LT(flat.size(), 300'000u);
  expect_refused(flat, "pixels per byte are allowed");
  EXPECT_EQ(decode_image(encode_png(flat_picture(3900, 4000, 255)), "a").width, 293);
}

}  // namespace
}  // namespace muster
