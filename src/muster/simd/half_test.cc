#include "muster/simd/half.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "muster/core/rng.h"
#include "oracle/half.h"

namespace muster {
namespace {

std::vector<uint16_t> to_halves(const std::vector<float>& values) {
  std::vector<uint16_t> out(values.size());
  floats_to_halves(values, out);
  return out;
}

TEST(Half, EveryHalfReadsAsItsValueAndComesBack) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  std::vector<float> values(all.size());
  halves_to_floats(all, values);
  const std::vector<uint16_t> back = to_halves(values);
  for (size_t i = 0; i < all.size(); ++i) {
    const double expected = oracle::half_value(all[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
      EXPECT_EQ(back[i] & 0x7FFF, 0x7E00) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
      ASSERT_EQ(back[i], all[i]);
    }
  }
}

TEST(Half, RoundsToNearestEvenOverAllFloatBitPatterns) {
  Rng rng(1);
  std::vector<float> values;
  for (int i = 0; i < 400000; ++i)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(rng.next())));
  // The middle between two neighbours, and just beside it.
  for (uint16_t h = 0; h < 0x7C00; ++h) {
    const auto middle = static_cast<float>((oracle::half_value(h) + oracle::half_value(h + 1)) / 2);
    if (std::isinf(middle)) continue;
    for (float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      values.insert(values.end(), {x, -x});
  }
  values.insert(values.end(), {65504, 65519.996f, 65520, 65536, 1e-8f, 2.98e-8f, 0, -0.0f});
  const std::vector<uint16_t> halves = to_halves(values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(halves[i], oracle::nearest_half(values[i])) << values[i];
}

TEST(Half, LaneEdges) {
  for (size_t n : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33}) {
    std::vector<float> values(n), back(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i) - 3.5f;
    halves_to_floats(to_halves(values), back);
    EXPECT_EQ(back, values);
  }
}

RC_GTEST_PROP(Half, ErrorIsAtMostHalfAUnit, (float any)) {
  const float x = std::isfinite(any) ? std::fmod(any, kMaxHalf) : 0;
  std::vector<float> back(1);
  halves_to_floats(to_halves({x}), back);
  RC_ASSERT(std::abs(back[0] - x) <= std::abs(x) / 2048 + 3e-8);
}

}  // namespace
}  // namespace muster
