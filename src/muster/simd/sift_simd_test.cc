#include "muster/simd/sift_simd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/rng.h"

namespace muster {
namespace {

std::vector<float> random_values(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> out(n);
  for (float& value : out) value = static_cast<float>(rng.uniform());
  return out;
}

TEST(SiftSimd, GradientsAreSharedByTheTwoNearestOrientations) {
  for (const size_t width : {1, 3, 8, 17, 127, 128, 129, 300}) {
    const std::vector<float> above = random_values(width + 2 * kRowSlack, 1),
                             row = random_values(width + 2 * kRowSlack, 2),
                             below = random_values(width + 2 * kRowSlack, 3);
    AlignedVector<float> planes(kOrientations * width);
    sift_orientation_row(above.data() + 1, row.data() + 1, below.data() + 1, width, planes.data());
    for (size_t x = 0; x < width; ++x) {
      const double gx = 0.5 * (static_cast<double>(row[x + 2]) - row[x]),
                   gy = 0.5 * (static_cast<double>(below[x + 1]) - above[x + 1]);
      double angle = std::atan2(gy, gx) / (std::numbers::pi / 4);
      if (angle < 0) angle += 8;
      for (size_t o = 0; o < kOrientations; ++o) {
        const double apart = std::abs(angle - static_cast<double>(o));
        const double share = std::max(0.0, 1 - std::min(apart, 8 - apart));
        EXPECT_NEAR(planes[kOrientations * x + o], std::hypot(gx, gy) * share, 2e-6)
            << width << " " << x << " " << o;
      }
    }
  }
}

TEST(SiftSimd, WindowsAreWeightedSums) {
  const std::vector<float> values = random_values(kOrientations * 40, 4);
  const AlignedVector<float> planes(values.begin(), values.end());
  for (const size_t count : {1, 3, 4, 5, 9})
    for (const size_t taps : {1, 2, 7}) {
      const std::vector<float> weights = random_values(taps, 5);
      std::vector<int32_t> first;
      for (size_t i = 0; i < count; ++i) first.push_back(static_cast<int32_t>((7 * i) % 30));
      AlignedVector<float> out(kOrientations * count);
      sift_sum_windows(planes.data(), first, weights, out.data());
      for (size_t i = 0; i < count; ++i)
        for (size_t o = 0; o < kOrientations; ++o) {
          double expected = 0;
          for (size_t t = 0; t < taps; ++t)
            expected += static_cast<double>(weights[t]) *
                        planes[kOrientations * (static_cast<size_t>(first[i]) + t) + o];
          EXPECT_NEAR(out[kOrientations * i + o], expected, 1e-5);
        }
    }
}

TEST(SiftSimd, AddScaledReachesEveryValueAndNoOther) {
  for (const size_t n : {0, 1, 7, 8, 31, 33}) {
    const std::vector<float> in = random_values(n + 1, 6), before = random_values(n + 1, 7);
    std::vector<float> out = before;
    sift_add_scaled(0.5f, in.data(), n, out.data());
    for (size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], before[i] + 0.5 * in[i], 1e-6);
    EXPECT_EQ(out[n], before[n]);
  }
}

TEST(SiftSimd, GatheredPatchesAreWeightedClippedAndOfUnitLength) {
  constexpr size_t kColumns = 6;
  std::vector<AlignedVector<float>> cells;
  const float* rows[kSiftCells];
  for (size_t r = 0; r < kSiftCells; ++r) {
    const std::vector<float> values = random_values(kOrientations * kColumns, 10 + r);
    cells.emplace_back(values.begin(), values.end());
    if (r == 1) cells.back()[3] = 40;  // an outlier, which is clipped
  }
  for (size_t r = 0; r < kSiftCells; ++r) rows[r] = cells[r].data();
  SiftNorm norm{};
  norm.clip = 0.2f;
  for (size_t c = 0; c < kSiftCells * kSiftCells; ++c)
    norm.cell_weights[c] = 0.5f + 0.05f * static_cast<float>(c);
  const std::vector<uint32_t> columns = {0, 1, 2, 3, 2, 3, 4, 5};
  AlignedVector<float> out(2 * kSiftDim);
  sift_gather(rows, columns, norm, out.data());
  for (size_t p = 0; p < 2; ++p) {
    std::vector<double> expected;
    for (size_t r = 0; r < kSiftCells; ++r)
      for (size_t c = 0; c < kSiftCells; ++c)
        for (size_t o = 0; o < kOrientations; ++o)
          expected.push_back(static_cast<double>(norm.cell_weights[kSiftCells * r + c]) *
                             cells[r][kOrientations * columns[kSiftCells * p + c] + o]);
    const auto normalise = [&] {
      double squares = 0;
      for (const double value : expected) squares += value * value;
      for (double& value : expected) value /= std::sqrt(squares);
    };
    normalise();
    for (double& value : expected) value = std::min(value, 0.2);
    normalise();
    for (size_t t = 0; t < kSiftDim; ++t)
      EXPECT_NEAR(out[kSiftDim * p + t], expected[t], 1e-5) << p << " " << t;
  }
  norm.threshold = 1e6f;
  sift_gather(rows, columns, norm, out.data());
  for (const float value : out) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace muster
