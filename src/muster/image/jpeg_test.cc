// jpeglib.h needs size_t and FILE declared before it.
#include <cstdio>
#include <cstdlib>
// (in this order)
#include <gtest/gtest.h>
#include <jpeglib.h>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

// With an EXIF segment that holds nothing but the orientation.
Bytes with_orientation(const Bytes& jpeg, int orientation) {
  Bytes out(jpeg.begin(), jpeg.begin() + 2);
  append(out, {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1});
  append(out, {0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0});
  out.insert(out.end(), jpeg.begin() + 2, jpeg.end());
  return out;
}

// Where the upper left corner of the stored picture comes to lie, by the table of the EXIF
// standard.
TEST(Jpeg, EveryExifOrientationIsApplied) {
  const Image stored =
      make_picture(64, 32, [](int x, int y, int) { return x < 16 && y < 16 ? 255 : 0; });
  const Bytes jpeg = encode_jpeg(stored, 95);
  struct Corner {
    bool right, bottom;
  };
  const Corner corners[] = {{},
                            {false, false},
                            {true, false},
                            {true, true},
                            {false, true},
                            {false, false},
                            {true, false},
                            {true, true},
                            {false, true}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image image = decode_image(with_orientation(jpeg, orientation), "a");
    EXPECT_EQ(image.width, orientation < 5 ? 64 : 32) << orientation;
    EXPECT_EQ(image.height, orientation < 5 ? 32 : 64) << orientation;
    for (const bool right : {false, true})
      for (const bool bottom : {false, true}) {
        const bool is_lit =
            corners[orientation].right == right && corners[orientation].bottom == bottom;
        const auto p = pixel(image, right ? image.width - 4 : 3, bottom ? image.height - 4 : 3);
        EXPECT_NEAR(p[0], is_lit ? 255 : 0, 10) << orientation << right << bottom;
      }
  }
}

class Compressor {
 public:
  Compressor(int width, int height, J_COLOR_SPACE space, int components) {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_compress(&info_);
    jpeg_mem_dest(&info_, &data_, &size_);
    info_.image_width = static_cast<JDIMENSION>(width);
    info_.image_height = static_cast<JDIMENSION>(height);
    info_.input_components = components;
    info_.in_color_space = space;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, 100, TRUE);
  }
  ~Compressor() {
    jpeg_destroy_compress(&info_);
    std::free(data_);
  }
  jpeg_compress_struct& info() { return info_; }

  // The same row again and again.
  Bytes finish(std::vector<uint8_t> row) {
    jpeg_start_compress(&info_, TRUE);
    JSAMPROW line = row.data();
    while (info_.next_scanline < info_.image_height) jpeg_write_scanlines(&info_, &line, 1);
    jpeg_finish_compress(&info_);
    Bytes bytes(size_);
    std::memcpy(bytes.data(), data_, size_);
    return bytes;
  }

 private:
  jpeg_compress_struct info_{};
  jpeg_error_mgr errors_{};
  unsigned char* data_ = nullptr;
  unsigned long size_ = 0;
};

Bytes cmyk_jpeg(std::array<uint8_t, 4> colour, bool adobe) {
  Compressor compressor(16, 16, JCS_CMYK, 4);
  compressor.info().write_Adobe_marker = adobe;
  std::vector<uint8_t> row;
  for (int i = 0; i < 16; ++i) row.insert(row.end(), colour.begin(), colour.end());
  return compressor.finish(row);
}

TEST(Jpeg, Cmyk) {
  const auto plain = pixel(decode_image(cmyk_jpeg({0, 255, 255, 0}, false), "a"), 8, 8);
  const auto adobe = pixel(decode_image(cmyk_jpeg({255, 0, 0, 255}, true), "a"), 8, 8);
  for (const auto& red : {plain, adobe}) {
    EXPECT_NEAR(red[0], 255, 3);
    EXPECT_NEAR(red[1], 0, 3);
    EXPECT_NEAR(red[2], 0, 3);
  }
}

// A progressive picture of `scans` scans: one for the mean of each block, the others refine
// nothing.
Bytes progressive_jpeg(int side, int scans) {
  Compressor compressor(side, side, JCS_GRAYSCALE, 1);
  std::vector<jpeg_scan_info> script(static_cast<size_t>(std::min(scans, 64)));
  for (size_t s = 0; s < script.size(); ++s)
    script[s] = {1, {0}, static_cast<int>(s), static_cast<int>(s), 0, 0};
  compressor.info().scan_info = script.data();
  compressor.info().num_scans = static_cast<int>(script.size());
  return compressor.finish(std::vector<uint8_t>(static_cast<size_t>(side), 100));
}

TEST(Jpeg, ManyScansAreRefused) {
  EXPECT_EQ(pixel(decode_image(progressive_jpeg(16, 10), "a"), 5, 5), (std::array{100, 100, 100}));
  expect_refused(progressive_jpeg(16, 60), "more than 32 scans");
}

size_t find_frame(const Bytes& jpeg) {
  for (size_t i = 2; i + 8 < jpeg.size(); ++i)
    if (jpeg[i] == std::byte{0xFF} &&
        (jpeg[i + 1] == std::byte{0xC0} || jpeg[i + 1] == std::byte{0xC2}))
      return i;
  ADD_FAILURE() << "no frame";
  return 0;
}

Bytes with_size(Bytes jpeg, int width, int height) {
  const size_t frame = find_frame(jpeg);
  jpeg[frame + 5] = static_cast<std::byte>(height >> 8);
  jpeg[frame + 6] = static_cast<std::byte>(height);
  jpeg[frame + 7] = static_cast<std::byte>(width >> 8);
  jpeg[frame + 8] = static_cast<std::byte>(width);
  return jpeg;
}

TEST(Jpeg, AbsurdSizesAreRefused) {
  const Bytes jpeg = encode_jpeg(flat_picture(8, 8, 9));
  expect_refused(with_size(jpeg, 60000, 60000), "pixels are more than");
  expect_refused(with_size(jpeg, 0, 8), "damaged");
  expect_refused(with_size(jpeg, 9000, 9000), "too few bytes");
  expect_refused(with_size(progressive_jpeg(8, 5), 9000, 9000), "too few bytes");
}

// A marker without a length: whoever takes what follows for its length finds another frame.
TEST(Jpeg, TheSizeIsTheOneThatTheDecoderSees) {
  const Bytes jpeg = with_size(encode_jpeg(flat_picture(8, 8, 9)), 40000, 40000);
  Bytes decoy{jpeg[0], jpeg[1]};
  append(decoy, {0xFF, 0x01});  // TEM
  decoy.insert(decoy.end(), jpeg.begin() + 2, jpeg.end());
  append(decoy, {0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0});
  expect_refused(decoy, "40000 x 40000 pixels are more than");
}

TEST(Jpeg, LargePicturesAreDecodedSmaller) {
  // Waves of 200 pixels: shrinking by any sound way gives nearly the same.
  const Image large = make_picture(2400, 1250, [](int x, int y, int c) {
    return 128 + 100 * std::sin(x / 32.0 + c) * std::cos(y / 32.0);
  });
  const Image whole =
                  shrink(decode_image(encode_jpeg(large, 95), "a", {.longest_side_px = 0}), 300),
              scaled = decode_image(encode_jpeg(large, 95), "a", {.longest_side_px = 300});
  ASSERT_EQ(scaled.width, 300);
  ASSERT_EQ(scaled.height, 156);
  ASSERT_EQ(whole.height, scaled.height);
  int largest = 0;
  for (size_t i = 0; i < whole.rgb.size(); ++i)
    largest = std::max(largest, std::abs(whole.rgb[i] - scaled.rgb[i]));
  EXPECT_LE(largest, 2);
}

TEST(Jpeg, LongAndNarrowPicturesKeepAPixel) {
  for (const int side : {1, 2, 3, 5, 9, 17})
    for (const int length : {601, 1200, 2399, 2400, 4807, 20000}) {
      const Image wide = decode_image(encode_jpeg(flat_picture(length, side, 90)), "a"),
                  tall = decode_image(encode_jpeg(flat_picture(side, length, 90)), "a");
      EXPECT_EQ(wide, flat_picture(300, wide.height, 90)) << length << " " << side;
      EXPECT_EQ(tall, flat_picture(tall.width, 300, 90)) << length << " " << side;
      EXPECT_EQ(wide.height, std::max(1l, std::lround(300.0 * side / length)));
      EXPECT_EQ(tall.width, wide.height);
    }
}

TEST(Jpeg, EncodedPicturesAreCloseAndSmall) {
  const Image image = make_picture(64, 48, [](int x, int, int) { return 3 * x + 20; });
  const Bytes bytes = encode_jpeg(image);
  const Image back = decode_image(bytes, "a");
  ASSERT_EQ(back.rgb.size(), image.rgb.size());
  for (size_t i = 0; i < image.rgb.size(); ++i) EXPECT_NEAR(back.rgb[i], image.rgb[i], 8);
  EXPECT_LT(bytes.size(), 2000u);
}

TEST(Jpeg, WhatCannotBeEncodedIsRefused) {
  EXPECT_THROW(encode_jpeg(flat_picture(65501, 1, 0)), Error);
}

}  // namespace
}  // namespace muster
