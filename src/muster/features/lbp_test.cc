#include "muster/features/lbp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "support/pictures.h"

namespace muster {
namespace {

constexpr size_t kBins = 59;

// The code's circle as text, and how often it changes: straight from the definition.
std::string circle(const Image& image, int x, int y) {
  const auto light = [&](int column, int row) {
    column = std::clamp(column, 0, image.width - 1), row = std::clamp(row, 0, image.height - 1);
    return image.rgb[3 * static_cast<size_t>(row * image.width +
                                             column)];  // grey pictures: all channels alike
  };
  std::string out;
  for (const auto& [dx, dy] :
       {std::pair{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}})
    out += light(x + dx, y + dy) >= light(x, y) ? '1' : '0';
  return out;
}

bool uniform(const std::string& code) {
  int changes = 0;
  for (size_t k = 0; k < 8; ++k) changes += code[k] != code[(k + 1) % 8];
  return changes <= 2;
}

// Which bin a code has is the method's own business: same code same bin, and so the same counts.
TEST(Lbp, CountsTheCodesOfEveryCell) {
  Image image = noise_picture(37, 29);
  for (size_t i = 0; i < image.rgb.size(); i += 3)
    image.rgb[i + 1] = image.rgb[i + 2] = image.rgb[i];
  const VectorSet set = make_lbp({.step = 5, .size = {9, 16}})->extract(image);
  ASSERT_GT(set.size(), 20u);
  std::map<std::string, size_t> bin_of;
  for (size_t i = 0; i < set.size(); ++i) {
    const int size = static_cast<int>(std::lround(set.places(i, 2) * 37));
    const int x0 = static_cast<int>(std::lround(set.places(i, 0) * 37 - 0.5 * size));
    const int y0 = static_cast<int>(std::lround(set.places(i, 1) * 29 - 0.5 * size));
    for (int cell = 0; cell < 4; ++cell) {
      const int left = x0 + cell % 2 * size / 2, right = x0 + (cell % 2 + 1) * size / 2;
      const int top = y0 + cell / 2 * size / 2, bottom = y0 + (cell / 2 + 1) * size / 2;
      std::map<std::string, int> counts;
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
          const std::string code = circle(image, x, y);
          ++counts[uniform(code) ? code : "other"];
        }
      const auto values = set.vectors.row(i).subspan(static_cast<size_t>(cell) * kBins, kBins);
      std::vector<double> expected, found;
      for (const auto& [code, count] : counts) expected.push_back(count);
      for (float value : values)
        if (value > 0) found.push_back(std::round(value * value * (right - left) * (bottom - top)));
      std::ranges::sort(expected);
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << "patch " << i << ", cell " << cell;
      EXPECT_NEAR(values[kBins - 1] * values[kBins - 1] * (right - left) * (bottom - top),
                  counts["other"], 1e-3);
    }
  }
}

TEST(Lbp, AFlatPictureHasOnePattern) {
  const VectorSet set = make_lbp({})->extract(flat_picture(40, 30, 255));
  ASSERT_GT(set.size(), 0u);
  for (size_t i = 0; i < set.size(); ++i) {
    size_t ones = 0;
    for (float value : set.vectors.row(i)) ones += value == 1;
    EXPECT_EQ(ones, 4u);
  }
}

TEST(Lbp, LightDoesNotMatter) {
  Image image = noise_picture(40, 40);
  for (uint8_t& value : image.rgb) value /= 2;
  Image brighter = image;
  for (uint8_t& value : brighter.rgb) value = static_cast<uint8_t>(value + 100);
  // Grey values of coloured pixels round alike: compare what is exact.
  for (Image* each : {&image, &brighter})
    for (size_t i = 0; i < each->rgb.size(); i += 3)
      each->rgb[i + 1] = each->rgb[i + 2] = each->rgb[i];
  EXPECT_EQ(make_lbp({})->extract(image).vectors, make_lbp({})->extract(brighter).vectors);
}

TEST(Lbp, RefusesBadOptions) { EXPECT_THROW(make_lbp({.step = 0}), Error); }

}  // namespace
}  // namespace muster
