#include <gtest/gtest.h>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

Bytes lossless(const std::vector<uint8_t>& rgba, int width, int height) {
  uint8_t* data = nullptr;
  const size_t size = WebPEncodeLosslessRGBA(rgba.data(), width, height, 4 * width, &data);
  Bytes out(size);
  std::memcpy(out.data(), data, size);
  WebPFree(data);
  return out;
}

TEST(Webp, LosslessPicturesAreExact) {
  const Image image = noise_picture(23, 17);
  std::vector<uint8_t> rgba;
  for (size_t p = 0; p < image.rgb.size(); p += 3)
    rgba.insert(rgba.end(), {image.rgb[p], image.rgb[p + 1], image.rgb[p + 2], 255});
  EXPECT_EQ(decode_image(lossless(rgba, 23, 17), "a"), image);
}

TEST(Webp, AlphaIsLaidOnWhite) {
  EXPECT_EQ(decode_image(lossless({200, 0, 0, 128, 200, 0, 0, 255}, 2, 1), "a"),
            (Image{2, 1, {227, 127, 127, 200, 0, 0}}));
}

// A simple file in the extended layout, with a chunk of EXIF data.
Bytes extended(const Bytes& simple, int width, int height, const Bytes& exif, int flags) {
  Bytes body = text_bytes("WEBPVP8X");
  append_le(body, 10, 4);
  append_le(body, static_cast<uint64_t>(flags), 4);
  append_le(body, static_cast<uint64_t>(width - 1), 3);
  append_le(body, static_cast<uint64_t>(height - 1), 3);
  body.insert(body.end(), simple.begin() + 12, simple.end());
  append(body, text_bytes("EXIF"));
  append_le(body, exif.size(), 4);
  append(body, exif);
  Bytes out = text_bytes("RIFF");
  append_le(out, body.size(), 4);
  append(out, body);
  return out;
}

TEST(Webp, ExifOrientationIsApplied) {
  Bytes exif = text_bytes("II*");
  append(exif, {0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Bytes simple = lossless({10, 10, 10, 255, 200, 200, 200, 255}, 2, 1);
  constexpr int kHasExif = 8;
  EXPECT_EQ(decode_image(extended(simple, 2, 1, exif, kHasExif), "a"),
            (Image{1, 2, {10, 10, 10, 200, 200, 200}}));
}

TEST(Webp, AnimationsAreRefused) {
  const Bytes simple = lossless({10, 10, 10, 255}, 1, 1);
  constexpr int kIsAnimated = 2;
  expect_refused(extended(simple, 1, 1, {}, kIsAnimated), "WebP");
}

TEST(Webp, AbsurdSizesAreRefused) {
  const Bytes simple = lossless({10, 10, 10, 255}, 1, 1);
  expect_refused(extended(simple, 16000, 16000, {}, 0), "WebP");
  Bytes large = simple;  // VP8L: 14 bits of the width - 1, 14 of the height - 1
  for (size_t i = 21; i < 24; ++i) large[i] = std::byte{0xFF};
  large[24] |= std::byte{0x0F};
  expect_refused(large, "pixels are more than");
}

}  // namespace
}  // namespace muster
