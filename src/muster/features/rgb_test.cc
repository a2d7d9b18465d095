#include "muster/features/rgb.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "oracle/rgb.h"
#include "support/pictures.h"

namespace muster {
namespace {

void expect_rgb_oracle(const Image& image, const RgbOptions& options) {
  const VectorSet set = make_rgb(options)->extract(image);
  for (size_t i = 0; i < set.size(); ++i) {
    const int size =
        static_cast<int>(std::lround(set.places(i, 2) * std::max(image.width, image.height)));
    const int x0 = static_cast<int>(std::lround(set.places(i, 0) * image.width - 0.5 * size));
    const int y0 = static_cast<int>(std::lround(set.places(i, 1) * image.height - 0.5 * size));
    for (int k = 0; k < 16; ++k) {
      const int r = k / 4, c = k % 4;
      for (int channel = 0; channel < 3; ++channel) {
        const auto expected =
            oracle::cell_statistics(image, x0 + c * size / 4, y0 + r * size / 4,
                                    x0 + (c + 1) * size / 4, y0 + (r + 1) * size / 4, channel);
        ASSERT_NEAR(set.vectors(i, 6 * k + channel), expected.mean, 1e-6);
        ASSERT_NEAR(set.vectors(i, 6 * k + 3 + channel), expected.deviation, 1e-6);
      }
    }
  }
}

RC_GTEST_PROP(Rgb, AgreesWithOracle, ()) {
  const Image image = noise_picture(*rc::gen::inRange(1, 60), *rc::gen::inRange(1, 60));
  expect_rgb_oracle(image, {.step = *rc::gen::inRange(1, 12) + 3,
                            .size = {*rc::gen::inRange(4, 30), *rc::gen::inRange(4, 30)}});
}

TEST(Rgb, FlatPictureHasNoDeviation) {
  const VectorSet set = make_rgb({})->extract(flat_picture(40, 30, 255));
  ASSERT_GT(set.size(), 0u);
  for (size_t i = 0; i < set.size(); ++i)
    for (size_t j = 0; j < 96; ++j) EXPECT_EQ(set.vectors(i, j), j % 6 < 3 ? 1.0f : 0.0f);
}

TEST(Rgb, LargeCellsAreExact) {
  expect_rgb_oracle(flat_picture(1000, 1000, 255), {.size = {1000}});
}

TEST(Rgb, TooSmallGivesEmptySet) {
  const VectorSet set = make_rgb({})->extract(noise_picture(1, 1));
  EXPECT_EQ(set.size(), 0u);
  EXPECT_EQ(set.dim(), 96u);
}

TEST(Rgb, RefusesBadOptions) { EXPECT_THROW(make_rgb({.step = -1}), Error); }

}  // namespace
}  // namespace muster
