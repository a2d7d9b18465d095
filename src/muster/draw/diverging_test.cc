#include "muster/draw/diverging.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace muster {
namespace {

using Triple = std::array<double, 3>;

Triple linear_rgb(Colour colour) {
  const auto light = [](uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return {light(colour.red), light(colour.green), light(colour.blue)};
}

// CIELAB with the white of sRGB (D65): another space than the one that the colours are made in.
Triple cielab(const Triple& rgb) {
  const double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505,
               y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2],
               z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double distance(const Triple& a, const Triple& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// How somebody without one kind of cone sees it (Vienot, Brettel & Mollon 1999; of blue cones, by
// the mean of green and blue).
Triple without_red_or_green_cones(const Triple& c) {
  const double yellow = 0.2924 * c[0] + 0.7076 * c[1];
  return {yellow, yellow, 0.0223 * c[0] - 0.0223 * c[1] + c[2]};
}
Triple without_blue_cones(const Triple& c) {
  const double both = (c[1] + c[2]) / 2;
  return {c[0], both, both};
}

TEST(Diverging, IsBlueBelowOrangeAboveAndPaleAtZero) {
  const Colour below = diverging(-1), middle = diverging(0), above = diverging(1);
  EXPECT_GT(below.blue, below.red + 80);
  EXPECT_GT(above.red, above.blue + 80);
  EXPECT_GT(std::min({middle.red, middle.green, middle.blue}), 235);
  EXPECT_EQ(diverging(3), above);
  EXPECT_EQ(diverging(-3), below);
}

TEST(Diverging, StepsLookEqualAndBothSidesEquallyDark) {
  constexpr int kSteps = 10;
  for (const double side : {-1.0, 1.0}) {
    double least = HUGE_VAL, most = 0, before = 101;
    for (int k = 0; k < kSteps; ++k) {
      const Triple here = cielab(linear_rgb(diverging(side * k / kSteps)));
      const Triple next = cielab(linear_rgb(diverging(side * (k + 1) / kSteps)));
      least = std::min(least, distance(here, next));
      most = std::max(most, distance(here, next));
      EXPECT_LT(here[0], before) << "lightness falls";
      before = here[0];
    }
    EXPECT_LT(most, 2 * least);
    EXPECT_GT(least, 3);
  }
  for (const double value : {0.3, 0.6, 1.0})
    EXPECT_NEAR(cielab(linear_rgb(diverging(value)))[0], cielab(linear_rgb(diverging(-value)))[0],
                6);
}

TEST(Diverging, SidesAreToldApartWithAnyTwoKindsOfCones) {
  for (const auto& seen : {without_red_or_green_cones, without_blue_cones})
    for (const double value : {0.4, 1.0})
      EXPECT_GT(distance(cielab(seen(linear_rgb(diverging(value)))),
                         cielab(seen(linear_rgb(diverging(-value))))),
                30 * value);
}

}  // namespace
}  // namespace muster
