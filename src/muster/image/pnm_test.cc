#include <gtest/gtest.h>

#include "support/encoders.h"

namespace muster {
namespace {

Image grey_row(std::initializer_list<int> levels) {
  Image image{static_cast<int>(levels.size()), 1, {}};
  for (const int level : levels) image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(level));
  return image;
}

Image decode(std::string_view content) { return decode_image(text_bytes(content), "a"); }

using namespace std::string_view_literals;

TEST(Pnm, EveryKind) {
  EXPECT_EQ(decode("P1 4 1\n0 1 10"), grey_row({255, 0, 0, 255}));
  EXPECT_EQ(decode("P2 3 1 255\n0 77 255\n"), grey_row({0, 77, 255}));
  EXPECT_EQ(decode("P3 1 1 255\n1 2 3\n"), (Image{1, 1, {1, 2, 3}}));
  EXPECT_EQ(decode("P4 4 1\n\x50"), grey_row({255, 0, 255, 0}));
  EXPECT_EQ(decode("P5 3 1 255\n\0\x4D\xFF"sv), grey_row({0, 77, 255}));
  EXPECT_EQ(decode("P6 1 1 255\n\1\2\3"), (Image{1, 1, {1, 2, 3}}));
}

TEST(Pnm, SixteenBits) {
  EXPECT_EQ(decode("P5 2 1 65535\n\xC8\xC8\0\0"sv), grey_row({200, 0}));
  EXPECT_EQ(decode("P2 2 1 65535\n51400 65535"), grey_row({200, 255}));
}

TEST(Pnm, LevelsAreScaledByTheLargest) {
  EXPECT_EQ(decode("P2 3 1 15\n0 3 15"), grey_row({0, 51, 255}));
  EXPECT_EQ(decode("P5 3 1 100\n\0\x32\x64"sv), grey_row({0, 128, 255}));
  EXPECT_EQ(decode("P2 1 1 15\n99"), grey_row({255})) << "beyond the largest";
}

TEST(Pnm, CommentsInTheHeader) {
  EXPECT_EQ(decode("P2 # comment\n# another\n 2\t1\n255\n9 8"), grey_row({9, 8}));
}

TEST(Pnm, BadFilesAreRefused) {
  expect_refused(text_bytes("P6 100000 100000 255\n"), "pixels are more than");
  expect_refused(text_bytes("P5 99999999999999999999 1 255\n"), "pixels are more than");
  expect_refused(text_bytes("P5 0 4 255\n"), "header");
  expect_refused(text_bytes("P5 4 4 70000\n"), "largest value");
  expect_refused(text_bytes("P5 4 4 255\nabc"), "cut short");
  expect_refused(text_bytes("P2 2 2 255\n1 2 3"), "cut short");
  expect_refused(text_bytes("P2 2 2 255\n1 2 x 3"), "damaged");
  expect_refused(text_bytes("P1 2 2\n0 1 2 0"), "neither 0 nor 1");
}

}  // namespace
}  // namespace muster
