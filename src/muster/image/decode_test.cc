#include "muster/image/decode.h"

#include <gtest/gtest.h>
#include <jpeglib.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "muster/image/header.h"

namespace muster {
namespace {

using Bytes = std::vector<std::byte>;

Bytes encode(const std::string& extension, const cv::Mat& picture) {
  std::vector<uint8_t> out;
  EXPECT_TRUE(cv::imencode(extension, picture, out)) << extension;
  Bytes bytes(out.size());
  std::memcpy(bytes.data(), out.data(), out.size());
  return bytes;
}

Bytes text(std::string_view content) {
  Bytes bytes(content.size());
  std::memcpy(bytes.data(), content.data(), content.size());
  return bytes;
}

void append(Bytes& bytes, std::initializer_list<int> values) {
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
}

// BGR, left half red, right half blue, with a green top row.
cv::Mat flag(int width, int height) {
  cv::Mat out(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.at<cv::Vec3b>(y, x) = y == 0          ? cv::Vec3b(0, 255, 0)
                                : 2 * x < width ? cv::Vec3b(0, 0, 255)
                                                : cv::Vec3b(255, 0, 0);
  return out;
}

std::array<int, 3> pixel(const Image& image, int x, int y) {
  const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
  return {p[0], p[1], p[2]};
}

void expect_refused(const Bytes& bytes, const std::string& reason) {
  try {
    decode_image(bytes, "folder/picture.jpg");
    ADD_FAILURE() << "accepted; expected: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("folder/picture.jpg"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(Decode, ReadsEveryFormat) {
  for (const char* extension : {".png", ".jpg", ".tiff", ".bmp", ".webp", ".ppm"}) {
    const Image image = decode_image(encode(extension, flag(40, 30)), extension);
    ASSERT_EQ(image.width, 40) << extension;
    ASSERT_EQ(image.height, 30) << extension;
    const auto left = pixel(image, 5, 20), right = pixel(image, 35, 20);
    EXPECT_NEAR(left[0], 255, 6) << extension;
    EXPECT_NEAR(left[2], 0, 6) << extension;
    EXPECT_NEAR(right[2], 255, 6) << extension;
  }
}

TEST(Decode, HeaderGivesTheSizeOfEveryFormat) {
  for (const char* extension : {".png", ".jpg", ".tiff", ".bmp", ".webp", ".ppm"}) {
    const auto header = read_header(encode(extension, flag(43, 31)));
    ASSERT_TRUE(header) << extension;
    EXPECT_EQ(header->width, 43) << extension;
    EXPECT_EQ(header->height, 31) << extension;
  }
  const auto pgm = read_header(text("P5 # comment\n# another\n 12\t7\n255\n"));
  ASSERT_TRUE(pgm);
  EXPECT_EQ(pgm->width, 12);
  EXPECT_EQ(pgm->height, 7);
}

TEST(Decode, GreyAndSixteenBits) {
  const cv::Mat grey8(4, 5, CV_8U, cv::Scalar(77));
  for (const char* extension : {".png", ".pgm", ".tiff", ".bmp"})
    EXPECT_EQ(pixel(decode_image(encode(extension, grey8), "a"), 2, 2), (std::array{77, 77, 77}));
  const cv::Mat grey16(4, 5, CV_16U, cv::Scalar(200 * 257));
  for (const char* extension : {".png", ".pgm", ".tiff"})
    EXPECT_EQ(pixel(decode_image(encode(extension, grey16), "a"), 2, 2),
              (std::array{200, 200, 200}));
  const cv::Mat colour16(4, 5, CV_16UC3, cv::Scalar(10 * 257, 20 * 257, 30 * 257));
  EXPECT_EQ(pixel(decode_image(encode(".png", colour16), "a"), 2, 2), (std::array{30, 20, 10}));
}

TEST(Decode, AlphaIsLaidOnWhite) {
  cv::Mat picture(2, 2, CV_8UC4, cv::Scalar(0, 0, 200, 255));
  picture.at<cv::Vec4b>(0, 0) = {0, 0, 200, 0};
  picture.at<cv::Vec4b>(0, 1) = {0, 0, 200, 128};
  for (const char* extension : {".png", ".tiff"}) {
    const Image image = decode_image(encode(extension, picture), "a");
    EXPECT_EQ(pixel(image, 0, 0), (std::array{255, 255, 255})) << extension;
    EXPECT_NEAR(pixel(image, 1, 0)[0], 227, 1);
    EXPECT_NEAR(pixel(image, 1, 0)[1], 127, 1);
    EXPECT_EQ(pixel(image, 1, 1), (std::array{200, 0, 0}));
  }
  cv::Mat deep(2, 2, CV_16UC4, cv::Scalar(0, 0, 65535, 0));
  EXPECT_EQ(pixel(decode_image(encode(".png", deep), "a"), 0, 0), (std::array{255, 255, 255}));
}

// A JPEG with an EXIF segment that holds nothing but the orientation.
Bytes with_orientation(const Bytes& jpeg, int orientation) {
  Bytes out(jpeg.begin(), jpeg.begin() + 2);
  append(out, {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1});
  append(out, {0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0});
  out.insert(out.end(), jpeg.begin() + 2, jpeg.end());
  return out;
}

TEST(Decode, ExifOrientationIsApplied) {
  const Bytes jpeg = encode(".jpg", flag(64, 32));
  const auto is_red = [](const std::array<int, 3>& p) { return p[0] > 200 && p[2] < 60; };
  EXPECT_TRUE(is_red(pixel(decode_image(with_orientation(jpeg, 1), "a"), 5, 20)));
  EXPECT_TRUE(is_red(pixel(decode_image(with_orientation(jpeg, 3), "a"), 60, 10)));  // half a turn
  const Image turned = decode_image(with_orientation(jpeg, 6), "a");                 // right is up
  EXPECT_EQ(turned.width, 32);
  EXPECT_EQ(turned.height, 64);
  EXPECT_TRUE(is_red(pixel(turned, 16, 5)));
}

void append_le(Bytes& bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// Two grey pixels, 10 and 200, in one row.
Bytes small_tiff(int orientation) {
  const std::vector<std::array<uint32_t, 2>> tags = {{256, 2},
                                                     {257, 1},
                                                     {258, 8},
                                                     {259, 1},
                                                     {262, 1},
                                                     {273, 8},
                                                     {274, static_cast<uint32_t>(orientation)},
                                                     {277, 1},
                                                     {278, 1},
                                                     {279, 2}};
  Bytes out = text("II*");
  append(out, {0, 10, 0, 0, 0, 10, 200});
  append_le(out, static_cast<uint32_t>(tags.size()), 2);
  for (const auto& [tag, value] : tags) {
    append_le(out, tag, 2);
    append_le(out, 4, 2);  // 32-bit
    append_le(out, 1, 4);
    append_le(out, value, 4);
  }
  append_le(out, 0, 4);
  return out;
}

TEST(Decode, TiffOrientationIsAppliedOnce) {
  EXPECT_EQ(decode_image(small_tiff(1), "a"), (Image{2, 1, {10, 10, 10, 200, 200, 200}}));
  EXPECT_EQ(decode_image(small_tiff(2), "a"), (Image{2, 1, {200, 200, 200, 10, 10, 10}}));
  EXPECT_EQ(decode_image(small_tiff(6), "a"), (Image{1, 2, {10, 10, 10, 200, 200, 200}}));
  EXPECT_EQ(decode_image(small_tiff(8), "a"), (Image{1, 2, {200, 200, 200, 10, 10, 10}}));
}

// One colour in all 16 x 16 pixels.
Bytes cmyk_jpeg(std::array<uint8_t, 4> colour, bool adobe) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = info.image_height = 16;
  info.input_components = 4;
  info.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&info);
  info.write_Adobe_marker = adobe;
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row;
  for (int i = 0; i < 16; ++i) row.insert(row.end(), colour.begin(), colour.end());
  JSAMPROW line = row.data();
  while (info.next_scanline < info.image_height) jpeg_write_scanlines(&info, &line, 1);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  Bytes bytes(size);
  std::memcpy(bytes.data(), data, size);
  std::free(data);
  return bytes;
}

TEST(Decode, CmykJpeg) {
  const auto plain = pixel(decode_image(cmyk_jpeg({0, 255, 255, 0}, false), "a"), 8, 8);
  const auto adobe = pixel(decode_image(cmyk_jpeg({255, 0, 0, 255}, true), "a"), 8, 8);
  for (const auto& red : {plain, adobe}) {
    EXPECT_NEAR(red[0], 255, 3);
    EXPECT_NEAR(red[1], 0, 3);
    EXPECT_NEAR(red[2], 0, 3);
  }
}

TEST(Decode, ShrinksToTheLongestSideAndNeverEnlarges) {
  const Bytes png = encode(".png", flag(1000, 500));
  const Image small = decode_image(png, "a");
  EXPECT_EQ(small.width, 300);
  EXPECT_EQ(small.height, 150);
  EXPECT_EQ(decode_image(png, "a", {.longest_side_px = 0}).width, 1000);
  EXPECT_EQ(decode_image(png, "a", {.longest_side_px = 2000}).width, 1000);
  const Image line = decode_image(encode(".png", flag(1000, 1)), "a");
  EXPECT_EQ(line.width, 300);
  EXPECT_EQ(line.height, 1);
  EXPECT_THROW(decode_image(png, "a", {.longest_side_px = -1}), Error);
}

TEST(Decode, TinyAndBlackPictures) {
  EXPECT_EQ(decode_image(encode(".png", cv::Mat(1, 1, CV_8UC3, cv::Scalar(1, 2, 3))), "a"),
            (Image{1, 1, {3, 2, 1}}));
  const Image black =
      decode_image(encode(".jpg", cv::Mat(20, 30, CV_8UC3, cv::Scalar::all(0))), "a");
  EXPECT_EQ(black.rgb, std::vector<uint8_t>(1800, 0));
}

TEST(Decode, RefusesWhatIsNoPicture) {
  expect_refused({}, "is empty");
  expect_refused(text("hello, this is a text renamed .jpg\n"), "not a picture");
  expect_refused(text("GIF89a and so on"), "not a picture");
  expect_refused(text("BM"), "header");
  expect_refused(text("P5 \n"), "header");
}

TEST(Decode, RefusesCutFiles) {
  cv::Mat noise(100, 120, CV_8UC3);
  cv::randu(noise, 0, 255);
  for (const char* extension : {".png", ".jpg", ".tiff", ".bmp", ".webp", ".ppm"}) {
    const Bytes whole = encode(extension, noise);
    for (const double part : {0.05, 0.3, 0.7, 0.97}) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(part * whole.size()));
      EXPECT_THROW(decode_image(cut, "a"), Error) << extension << " " << part;
    }
  }
}

TEST(Decode, RefusesAbsurdSizesByTheHeader) {
  Bytes png = encode(".png", flag(8, 8));
  png[16] = std::byte{0x7F};
  expect_refused(png, "pixels are more than");
  Bytes bmp = encode(".bmp", flag(8, 8));
  bmp[20] = bmp[24] = std::byte{0x10};
  expect_refused(bmp, "pixels are more than");
  expect_refused(text("P6 100000 100000 255\n"), "pixels are more than");
  Bytes jpeg = encode(".jpg", flag(8, 8));
  for (size_t i = 2; i + 8 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xC0}) {
      for (size_t j = 5; j < 9; ++j) jpeg[i + j] = std::byte{0xFF};
      break;
    }
  }
  expect_refused(jpeg, "pixels are more than");
}

RC_GTEST_PROP(Decode, DamagedBytesThrowOrDecode, ()) {
  const std::vector<const char*> extensions = {".png", ".tiff", ".bmp", ".webp", ".ppm"};
  Bytes bytes = encode(extensions[*rc::gen::inRange<size_t>(0, extensions.size())], flag(20, 20));
  for (int i = 0; i < *rc::gen::inRange(1, 6); ++i)
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  try {
    const Image image = decode_image(bytes, "a");
    RC_ASSERT(image.rgb.size() == size_t{3} * image.width * image.height);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::kData);
  }
}

TEST(Decode, NothingIsPrinted) {
  cv::Mat noise(100, 120, CV_8UC3);
  cv::randu(noise, 0, 255);
  testing::internal::CaptureStderr();
  for (const char* extension : {".png", ".jpg", ".tiff", ".bmp", ".webp", ".ppm"}) {
    Bytes bytes = encode(extension, noise);
    for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = std::byte{0xA5};
    try {
      decode_image(bytes, "a");
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Decode, PngRoundTrip) {
  const Image image{2, 1, {1, 2, 3, 250, 251, 252}};
  EXPECT_EQ(decode_image(encode_png(image), "a"), image);
}

TEST(Decode, JpegIsCloseAndSmall) {
  Image image{64, 48, std::vector<uint8_t>(64 * 48 * 3)};
  for (size_t i = 0; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<uint8_t>(i / 3 % 64 * 3 + 20);
  const Bytes bytes = encode_jpeg(image);
  const Image back = decode_image(bytes, "a");
  ASSERT_EQ(back.rgb.size(), image.rgb.size());
  for (size_t i = 0; i < image.rgb.size(); ++i) EXPECT_NEAR(back.rgb[i], image.rgb[i], 8);
  EXPECT_LT(bytes.size(), 2000u);
}

TEST(Decode, FilesOnDisk) {
  const auto path = std::filesystem::temp_directory_path() / "muster_decode_test.png";
  const Image image{2, 1, {1, 2, 3, 250, 251, 252}};
  const Bytes bytes = encode_png(image);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  EXPECT_EQ(read_image(path), image);
  std::filesystem::remove(path);
  EXPECT_THROW(read_image(path), Error);
  EXPECT_THROW(read_image(std::filesystem::temp_directory_path()), Error);
}

TEST(Image, GreyIsExactForGreyPixels) {
  Image image{256, 1, {}};
  for (int i = 0; i < 256; ++i) image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(i));
  const Matrix<float> out = grey(image);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out(0, i), static_cast<float>(i));
  const Matrix<float> red = grey({1, 1, {255, 0, 0}});
  EXPECT_NEAR(red(0, 0), 0.299 * 255, 0.01);
}

}  // namespace
}  // namespace muster
