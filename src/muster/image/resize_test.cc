#include "muster/image/resize.h"

#include <gtest/gtest.h>

#include "support/pictures.h"

namespace muster {
namespace {

// The mean over the area of pixel (x, y) of the result, by the parts of all pixels of the source.
double area_mean(const Image& in, int width, int height, int x, int y, size_t c) {
  const auto covered = [](int i, int wanted, int length, int pixel) {
    const double begin = double(i) * length / wanted, end = double(i + 1) * length / wanted;
    return std::max(0.0, std::min<double>(end, pixel + 1) - std::max<double>(begin, pixel));
  };
  double sum = 0, total = 0;
  for (int v = 0; v < in.height; ++v)
    for (int u = 0; u < in.width; ++u) {
      const double part = covered(x, width, in.width, u) * covered(y, height, in.height, v);
      sum += part * in.rgb[3 * (static_cast<size_t>(v) * in.width + u) + c];
      total += part;
    }
  return sum / total;
}

TEST(Resize, ShrinkingIsTheMeanOfTheArea) {
  struct Case {
    int width, height, to_width, to_height;
  };
  for (const auto& [width, height, to_width, to_height] : {Case{20, 20, 10, 10},
                                                           {21, 14, 7, 7},
                                                           {31, 17, 30, 17},
                                                           {19, 23, 8, 9},
                                                           {40, 3, 1, 1},
                                                           {9, 9, 9, 4}}) {
    const Image in = noise_picture(width, height), out = shrink_to(in, to_width, to_height);
    ASSERT_EQ(out.width, to_width);
    ASSERT_EQ(out.height, to_height);
    for (int y = 0; y < to_height; ++y)
      for (int x = 0; x < to_width; ++x)
        for (size_t c = 0; c < 3; ++c)
          ASSERT_NEAR(out.rgb[3 * (static_cast<size_t>(y) * to_width + x) + c],
                      area_mean(in, to_width, to_height, x, y, c), 0.51 + 0.3)
              << width << " " << x << " " << y;
  }
}

TEST(Resize, TheSameSizeChangesNothing) {
  EXPECT_EQ(shrink_to(noise_picture(7, 5), 7, 5), noise_picture(7, 5));
  EXPECT_EQ(enlarge_to(noise_picture(7, 5), 7, 5), noise_picture(7, 5));
}

TEST(Resize, FlatPicturesStayFlat) {
  EXPECT_EQ(shrink_to(flat_picture(97, 61, 255), 30, 19), flat_picture(30, 19, 255));
  EXPECT_EQ(enlarge_to(flat_picture(7, 5, 200), 30, 19), flat_picture(30, 19, 200));
}

TEST(Resize, EnlargingInterpolatesBetweenCentres) {
  const Image two{2, 1, {0, 0, 0, 100, 100, 100}};
  const Image out = enlarge_to(two, 4, 2);
  const std::vector<uint8_t> row = {0, 0, 0, 25, 25, 25, 75, 75, 75, 100, 100, 100};
  ASSERT_EQ(out.rgb.size(), 2 * row.size());
  EXPECT_TRUE(std::equal(row.begin(), row.end(), out.rgb.begin()));
  EXPECT_TRUE(std::equal(row.begin(), row.end(), out.rgb.begin() + 12));
}

}  // namespace
}  // namespace muster
