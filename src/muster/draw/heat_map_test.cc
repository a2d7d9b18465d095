#include "muster/draw/heat_map.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(HeatMap, CellsAreAsBrightAsTheirValues) {
  Matrix<double> values(1, 3);
  values(0, 1) = 0.5;
  values(0, 2) = 1;
  const Image image = heat_map(values, 1, 10);
  EXPECT_EQ(image.width, 31);
  EXPECT_EQ(image.height, 11);
  const auto light = [&](int x, int y) {
    return image.rgb[3 * static_cast<size_t>(y * image.width + x)];
  };
  EXPECT_EQ(light(5, 5), 0);
  EXPECT_EQ(light(15, 5), 128);
  EXPECT_EQ(light(25, 9), 255);
  EXPECT_EQ(light(20, 5), light(0, 0));  // lines
}

TEST(HeatMap, ZerosAreBlack) {
  const Image image = heat_map(Matrix<double>(2, 2), 0, 4);
  EXPECT_EQ(image.rgb[3 * static_cast<size_t>(2 * image.width + 2)], 0);
}

}  // namespace
}  // namespace muster
