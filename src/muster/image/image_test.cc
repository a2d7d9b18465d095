#include "muster/image/image.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

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
