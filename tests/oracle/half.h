// Half precision by its definition: sign, 5-bit exponent (bias 15), 10-bit fraction.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace muster::oracle {

inline double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// The nearest half, ties to the even one. Rounds in units of the last place of x's binade.
inline uint16_t nearest_half(double x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return sign | 0x7E00;
  const double magnitude = std::abs(x);
  if (magnitude >= 65520) return sign | 0x7C00;
  const int exponent = magnitude < std::ldexp(1, -14) ? -14 : std::ilogb(magnitude);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the fraction moves into the exponent, which is the right result.
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + units));
}

}  // namespace muster::oracle
