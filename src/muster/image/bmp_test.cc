#include <gtest/gtest.h>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

// Entry i is the grey level 10 i + 5.
Bytes palette(int entries) {
  Bytes out;
  for (int i = 0; i < entries; ++i) append(out, {10 * i + 5, 10 * i + 5, 10 * i + 5, 0});
  return out;
}

Image indexed(int width, int height, std::initializer_list<int> indices) {
  Image image{width, height, {}};
  for (const int i : indices)
    image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(10 * i + 5));
  return image;
}

Image decode(const BmpParts& parts) { return decode_image(make_bmp(parts), "a"); }

TEST(Bmp, TwentyFourBits) {
  EXPECT_EQ(decode_image(encode_bmp(noise_picture(13, 7)), "a"), noise_picture(13, 7));
}

TEST(Bmp, RowsFromTopToBottom) {
  EXPECT_EQ(decode({1, 2, 8, 0, palette(4), bytes_of({3, 0, 0, 0, 1, 0, 0, 0})}),
            indexed(1, 2, {1, 3}));
  EXPECT_EQ(decode({1, -2, 8, 0, palette(4), bytes_of({3, 0, 0, 0, 1, 0, 0, 0})}),
            indexed(1, 2, {3, 1}));
}

TEST(Bmp, Palettes) {
  EXPECT_EQ(decode({3, 1, 1, 0, palette(2), bytes_of({0b10100000, 0, 0, 0})}),
            indexed(3, 1, {1, 0, 1}));
  EXPECT_EQ(decode({3, 1, 4, 0, palette(16), bytes_of({0x1F, 0x70, 0, 0})}),
            indexed(3, 1, {1, 15, 7}));
  EXPECT_EQ(decode({2, 1, 8, 0, palette(20), bytes_of({19, 2, 0, 0})}), indexed(2, 1, {19, 2}));
}

TEST(Bmp, SixteenBits) {
  Bytes masks;
  for (const uint64_t mask : {0xF800, 0x07E0, 0x001F}) append_le(masks, mask, 4);
  EXPECT_EQ(decode({2, 1, 16, 0, {}, bytes_of({0x00, 0x7C, 0xE0, 0x03})}),
            (Image{2, 1, {248, 0, 0, 0, 248, 0}}));
  EXPECT_EQ(decode({2, 1, 16, 3, masks, bytes_of({0x00, 0xF8, 0xE0, 0x07})}),
            (Image{2, 1, {248, 0, 0, 0, 252, 0}}));
}

TEST(Bmp, ThirtyTwoBits) {
  EXPECT_EQ(decode({1, 1, 32, 0, {}, bytes_of({3, 2, 1, 0})}), (Image{1, 1, {1, 2, 3}}));
  Bytes masks;
  for (const uint64_t mask : {0xFFu, 0xFF00u, 0xFF0000u, 0xFF000000u}) append_le(masks, mask, 4);
  EXPECT_EQ(decode({1, 1, 32, 6, masks, bytes_of({200, 0, 0, 128})}),
            (Image{1, 1, {227, 127, 127}}));
}

TEST(Bmp, RunLengthsOfBytes) {
  // Three times 7; a literal 1 2 3; the end of the row; a move by (2, 0); once 9; the end.
  const Bytes runs = bytes_of({3, 7, 0, 3, 1, 2, 3, 0, 0, 0, 0, 2, 2, 0, 1, 9, 0, 1});
  EXPECT_EQ(decode({6, 2, 8, 1, palette(10), runs}),
            indexed(6, 2, {0, 0, 9, 0, 0, 0, 7, 7, 7, 1, 2, 3}));
}

TEST(Bmp, RunLengthsOfNibbles) {
  const Bytes runs = bytes_of({3, 0x12, 0, 3, 0x45, 0x60, 0, 1});
  EXPECT_EQ(decode({6, 1, 4, 2, palette(16), runs}), indexed(6, 1, {1, 2, 1, 4, 5, 6}));
}

TEST(Bmp, RunsBeyondTheEdgesAreLeftOut) {
  const Bytes runs = bytes_of({200, 3, 0, 2, 255, 255, 9, 9, 0, 1});
  EXPECT_EQ(decode({2, 1, 8, 1, palette(4), runs}), indexed(2, 1, {3, 3}));
}

TEST(Bmp, Os2) {
  Bytes out = text_bytes("BM");
  append_le(out, 0, 8);
  append_le(out, 26 + 6, 4);
  append_le(out, 12, 4);
  for (const int value : {2, 1, 1, 8}) append_le(out, static_cast<uint64_t>(value), 2);
  append(out, {30, 20, 10, 60, 50, 40, 1, 0, 0, 0});  // two entries of three bytes, then the row
  EXPECT_EQ(decode_image(out, "a"), (Image{2, 1, {40, 50, 60, 10, 20, 30}}));
}

TEST(Bmp, BadFilesAreRefused) {
  expect_refused(make_bmp({0x100000, 0x100000}), "pixels are more than");
  expect_refused(make_bmp({-5, 5}), "header");
  expect_refused(make_bmp({5, 5}), "cut short");
  expect_refused(make_bmp({5, 5, 8, 1, palette(4), bytes_of({3, 1})}), "cut short");
  expect_refused(make_bmp({3900, 3900, 8, 1, palette(4), bytes_of({0, 1})}), "cut short");
  expect_refused(make_bmp({9000, 9000, 8, 1, palette(4), bytes_of({0, 1})}), "too few bytes");
  expect_refused(make_bmp({5, 5, 24, 4, {}, Bytes(100)}), "compression 4");
  expect_refused(make_bmp({5, 5, 7, 0, {}, Bytes(100)}), "7 bits");
}

}  // namespace
}  // namespace muster
