#include "muster/draw/diverging.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace muster {
namespace {

// In Oklab: lightness of the middle, and lightness, chroma and hues of both ends, the most vivid
// that sRGB has for both hues at once.
constexpr double kMiddleLightness = 0.97, kEndLightness = 0.58, kEndChroma = 0.15;
constexpr double kBlueDegrees = 255, kOrangeDegrees = 50;

uint8_t gamma_corrected(double linear) {
  const double light = std::clamp(linear, 0.0, 1.0);
  const double value =
      light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * value));
}

Colour from_oklab(double lightness, double a, double b) {
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {gamma_corrected(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_corrected(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_corrected(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Colour diverging(double value) {
  const double share = std::min(1.0, std::abs(value));
  const double hue = (value < 0 ? kBlueDegrees : kOrangeDegrees) * std::numbers::pi / 180;
  return from_oklab(std::lerp(kMiddleLightness, kEndLightness, share),
                    share * kEndChroma * std::cos(hue), share * kEndChroma * std::sin(hue));
}

}  // namespace muster
