#include <gtest/gtest.h>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

template <class Value>
Bytes memory_of(std::initializer_list<Value> values) {
  const auto bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

struct Tag {
  uint32_t name, value;
};

// Two grey pixels, 10 and 200, in one row; the tags as they are given.
Bytes tiff_of_tags(const std::vector<Tag>& tags) {
  Bytes out = text_bytes("II*");
  append(out, {0, 10, 0, 0, 0, 10, 200});
  append_le(out, tags.size(), 2);
  for (const auto& [name, value] : tags) {
    append_le(out, name, 2);
    append_le(out, 4, 2);  // 32-bit
    append_le(out, 1, 4);
    append_le(out, value, 4);
  }
  append_le(out, 0, 4);
  return out;
}

// One strip of two 8-bit grey pixels, with the size that these tags give.
Bytes tiff_of_size(std::vector<Tag> tags) {
  const std::vector<Tag> others{{258, 8}, {259, 1}, {262, 1}, {273, 8},
                                {277, 1}, {278, 1}, {279, 2}};
  tags.insert(tags.end(), others.begin(), others.end());
  return tiff_of_tags(tags);
}

Bytes small_tiff(uint32_t orientation) {
  return tiff_of_tags({{256, 2},
                       {257, 1},
                       {258, 8},
                       {259, 1},
                       {262, 1},
                       {273, 8},
                       {274, orientation},
                       {277, 1},
                       {278, 1},
                       {279, 2}});
}

const Image kTwoGreys{2, 1, {200, 200, 200, 9, 9, 9}};

// Two grey pixels of so many bits each, decoded.
Image two_greys(int bits, const Bytes& samples) {
  return decode_image(make_tiff({.width = 2,
                                 .height = 1,
                                 .channels = 1,
                                 .bits = bits,
                                 .photometric = PHOTOMETRIC_MINISBLACK,
                                 .samples = samples}),
                      "a");
}

TEST(Tiff, OrientationIsAppliedOnce) {
  const Image forwards{2, 1, {10, 10, 10, 200, 200, 200}},
      backwards{2, 1, {200, 200, 200, 10, 10, 10}};
  const Image down{1, 2, forwards.rgb}, up{1, 2, backwards.rgb};
  const Image expected[] = {forwards, backwards, backwards, forwards, down, down, up, up};
  for (uint32_t orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(decode_image(small_tiff(orientation), "a"), expected[orientation - 1]) << orientation;
}

TEST(Tiff, EveryCompressionIsExact) {
  const Image image = noise_picture(21, 13);
  const auto samples = std::as_bytes(std::span(image.rgb));
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE})
    EXPECT_EQ(decode_image(make_tiff({.width = 21,
                                      .height = 13,
                                      .compression = compression,
                                      .samples = Bytes(samples.begin(), samples.end())}),
                           "a"),
              image)
        << compression;
}

TEST(Tiff, SixteenBitsKeepTheUpperEight) {
  EXPECT_EQ(two_greys(16, memory_of<uint16_t>({200 * 257, 9 * 257})), kTwoGreys);
}

TEST(Tiff, FloatsAreTakenToBeInZeroToOne) {
  const auto decode = [](int bits, const Bytes& samples) {
    return decode_image(make_tiff({.width = 2,
                                   .height = 1,
                                   .bits = bits,
                                   .format = SAMPLEFORMAT_IEEEFP,
                                   .samples = samples}),
                        "a");
  };
  const Image expected{2, 1, {0, 51, 255, 255, 0, 0}};
  EXPECT_EQ(decode(32, memory_of<float>({0, 0.2f, 1, 7, -3, NAN})), expected);
  EXPECT_EQ(decode(64, memory_of<double>({0, 0.2, 1, 7, -3, NAN})), expected);
}

TEST(Tiff, TwelveBits) { EXPECT_EQ(two_greys(12, bytes_of({0xC8, 0x00, 0x9F})), kTwoGreys); }

TEST(Tiff, Tiles) {
  // Tiles of 16 x 16 pixels, all alike; the picture has parts of 2 x 2 of them.
  const Image tile = noise_picture(16, 16);
  const auto samples = std::as_bytes(std::span(tile.rgb));
  const Image image = decode_image(make_tiff({.width = 25,
                                              .height = 20,
                                              .tile_px = 16,
                                              .samples = Bytes(samples.begin(), samples.end())}),
                                   "a");
  std::vector<float> floats(tile.rgb.begin(), tile.rgb.end());
  for (float& value : floats) value /= 255;
  const auto deep = std::as_bytes(std::span(floats));
  const Image of_floats = decode_image(make_tiff({.width = 25,
                                                  .height = 20,
                                                  .bits = 32,
                                                  .format = SAMPLEFORMAT_IEEEFP,
                                                  .tile_px = 16,
                                                  .samples = Bytes(deep.begin(), deep.end())}),
                                       "a");
  ASSERT_EQ(image.width, 25);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 25; ++x) {
      ASSERT_EQ(pixel(image, x, y), pixel(tile, x % 16, y % 16)) << x << " " << y;
      ASSERT_EQ(pixel(of_floats, x, y), pixel(tile, x % 16, y % 16)) << x << " " << y;
    }
}

TEST(Tiff, AlphaIsLaidOnWhite) {
  const auto decode = [](int extra, std::initializer_list<int> samples) {
    return decode_image(
        make_tiff(
            {.width = 1, .height = 1, .channels = 4, .extra = extra, .samples = bytes_of(samples)}),
        "a");
  };
  const Image expected{1, 1, {227, 127, 127}};
  EXPECT_EQ(decode(EXTRASAMPLE_UNASSALPHA, {200, 0, 0, 128}), expected);
  EXPECT_EQ(decode(EXTRASAMPLE_ASSOCALPHA, {100, 0, 0, 128}), expected);
  EXPECT_EQ(decode(EXTRASAMPLE_UNSPECIFIED, {200, 0, 0, 128}), expected);
}

// Whoever takes the last of several tags finds a small picture, whoever takes the first a huge one.
TEST(Tiff, TheSizeIsTheOneThatTheDecoderSees) {
  const Bytes tiff = tiff_of_size({{256, 30000}, {256, 2}, {257, 30000}, {257, 1}});
  try {
    EXPECT_EQ(decode_image(tiff, "a"), (Image{2, 1, {10, 10, 10, 200, 200, 200}}));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("pixels are more than"), std::string::npos)
        << error.what();
  }
}

TEST(Tiff, HugeTilesAreRefused) {
  expect_refused(tiff_of_tags({{256, 2},
                               {257, 1},
                               {258, 8},
                               {259, 8},
                               {262, 1},
                               {277, 1},
                               {322, 1'000'000'000},
                               {323, 1'000'000'000},
                               {324, 8},
                               {325, 2}}),
                 "TIFF");
  expect_refused(tiff_of_tags({{256, 2},
                               {257, 1},
                               {258, 32},
                               {259, 8},
                               {262, 1},
                               {277, 1},
                               {322, 1'000'000'000},
                               {323, 16},
                               {324, 8},
                               {325, 2},
                               {339, 3}}),
                 "TIFF");
}

TEST(Tiff, AbsurdSizesAreRefused) {
  expect_refused(tiff_of_size({{256, 1'000'000}, {257, 1'000'000}}), "pixels are more than");
  for (const uint32_t compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE})
    expect_refused(tiff_of_tags({{256, 9000},
                                 {257, 9000},
                                 {258, 8},
                                 {259, compression},
                                 {262, 1},
                                 {273, 8},
                                 {277, 1},
                                 {278, 9000},
                                 {279, 2}}),
                   "too few bytes");
  expect_refused(tiff_of_tags({{257, 1}, {258, 8}}), "TIFF");
}

}  // namespace
}  // namespace muster
