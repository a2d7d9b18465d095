#include "muster/features/dsift.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck/gtest.h>

extern "C" {
#include <vl/dsift.h>
}

#include <filesystem>

#include "muster/core/rng.h"
#include "muster/simd/sift_simd.h"
#include "oracle/dsift.h"
#include "support/pictures.h"
#include "support/real_pictures.h"

namespace muster {
namespace {

void expect_oracle(const Image& image, const DsiftOptions& options) {
  const VectorSet set = make_dsift(options)->extract(image);
  const Matrix<float> picture = grey(image);
  ASSERT_EQ(set.dim(), 128u);
  for (size_t i = 0; i < set.size(); ++i) {
    const double scale = set.places(i, 2) * std::max(image.width, image.height);
    const int size = static_cast<int>(std::lround(scale));
    oracle::DsiftPatch patch{
        static_cast<int>(std::lround(set.places(i, 0) * image.width - 0.5 * size)),
        static_cast<int>(std::lround(set.places(i, 1) * image.height - 0.5 * size)),
        size,
        options.window == SiftWindow::kGaussian,
        options.contrast,
        options.clip};
    const auto expected = oracle::dsift(picture, patch);
    for (size_t j = 0; j < 128; ++j)
      ASSERT_NEAR(set.vectors(i, j), expected[j], 1e-5) << "patch " << i << " component " << j;
  }
}

TEST(Dsift, AgreesWithOracle) {
  for (const auto& [width, height] : {std::pair{16, 16}, {17, 33}, {40, 31}, {63, 20}, {65, 70}})
    for (const SiftWindow window : {SiftWindow::kFlat, SiftWindow::kGaussian})
      expect_oracle(noise_picture(width, height), {.size = {16, 24, 13}, .window = window});
}

TEST(Dsift, AgreesWithOracleOnSmoothAndEdgePictures) {
  expect_oracle(wave_picture(50, 40), {.step = 5});
  expect_oracle(step_picture(48, 48), {.size = {16, 32}});
}

RC_GTEST_PROP(Dsift, AnyGeometryAgreesWithOracle, ()) {
  const int width = *rc::gen::inRange(4, 45), height = *rc::gen::inRange(4, 45);
  const DsiftOptions options{.step = *rc::gen::inRange(1, 20) + 3,
                             .size = {*rc::gen::inRange(4, 30)}};
  expect_oracle(noise_picture(width, height), options);
}

// Widths of SIMD vectors that this machine would not choose give the same descriptors.
TEST(Dsift, EverySimdTargetAgreesWithOracle) {
  for (int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    expect_oracle(noise_picture(41, 33), {});
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Dsift, SmoothedPicturesGiveUnitVectors) {
  for (const double smooth : {0.3, 1.0, 20.0}) {
    const auto dsift = make_dsift({.smooth = smooth, .contrast = 0});
    const VectorSet flat = dsift->extract(flat_picture(30, 20, 200));
    for (float value : flat.vectors.values()) ASSERT_TRUE(std::isfinite(value));
    const VectorSet set = dsift->extract(wave_picture(40, 40));
    for (size_t i = 0; i < set.size(); ++i) {
      double length = 0;
      for (float value : set.vectors.row(i)) length += static_cast<double>(value) * value;
      EXPECT_NEAR(length, 1, 1e-5);
    }
  }
}

TEST(Dsift, PlacesAreCentredAndInside) {
  const VectorSet set = make_dsift({})->extract(noise_picture(300, 250));
  EXPECT_EQ(set.size(), 36u * 30u);
  EXPECT_EQ(set.image_width, 300);
  EXPECT_EQ(set.image_height, 250);
  const auto first = set.places.row(0), last = set.places.row(set.size() - 1);
  EXPECT_NEAR(first[0] + last[0], 1, 1.01 / 300);
  EXPECT_NEAR(first[1] + last[1], 1, 1.01 / 250);
  EXPECT_FLOAT_EQ(first[2], 16.0f / 300);
}

TEST(Dsift, NoGradientGivesZeroVectors) {
  const VectorSet black = make_dsift({})->extract(flat_picture(40, 40, 0));
  EXPECT_EQ(black.size(), 16u);
  for (float value : black.vectors.values()) EXPECT_EQ(value, 0);
}

TEST(Dsift, TooSmallGivesEmptySet) {
  for (const auto& [width, height] : {std::pair{1, 1}, {15, 400}, {400, 15}}) {
    const VectorSet set = make_dsift({})->extract(noise_picture(width, height));
    EXPECT_EQ(set.size(), 0u);
    EXPECT_EQ(set.dim(), 128u);
    EXPECT_TRUE(set.has_places());
  }
}

TEST(Dsift, SeveralSizesAreTheSingleOnesInTurn) {
  const Image image = noise_picture(70, 60);
  const VectorSet both = make_dsift({.size = {24, 16}})->extract(image);
  const VectorSet a = make_dsift({.size = {24}})->extract(image);
  const VectorSet b = make_dsift({.size = {16}})->extract(image);
  ASSERT_EQ(both.size(), a.size() + b.size());
  EXPECT_EQ(Matrix<float>(both.vectors.view().slice_rows(0, a.size())), a.vectors);
  EXPECT_EQ(Matrix<float>(both.vectors.view().slice_rows(a.size(), b.size())), b.vectors);
}

TEST(Dsift, RefusesBadOptions) {
  EXPECT_THROW(make_dsift({.step = 0}), Error);
  EXPECT_THROW(make_dsift({.size = {16, 2}}), Error);
  EXPECT_THROW(make_dsift({.size = {}}), Error);
}

// Pearson correlation of two descriptors.
double correlation(std::span<const float> a, const float* b) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  const double n = static_cast<double>(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    sa += a[i], sb += b[i];
    saa += static_cast<double>(a[i]) * a[i], sbb += static_cast<double>(b[i]) * b[i];
    sab += static_cast<double>(a[i]) * b[i];
  }
  return (n * sab - sa * sb) / std::sqrt((n * saa - sa * sa) * (n * sbb - sb * sb));
}

// VLFeat calls a patch by the centre of its first cell, 2 pixels into ours.
// so its patch is half a pixel off ours at best; the triangles are four pixels wide.
TEST(Dsift, CorrelatesWithVlfeatOnRealPictures) {
  const std::vector<Image> pictures = real_pictures(12);
  if (pictures.empty())
    GTEST_SKIP() << "no data: set MUSTER_DATA to the folder that holds scene-15";
  double worst = 1, total = 0;
  size_t count = 0;
  for (const Image& image : pictures) {
    const VectorSet set = make_dsift({})->extract(image);
    const Matrix<float> picture = grey(image);
    VlDsiftFilter* filter = vl_dsift_new_basic(image.width, image.height, 1, 4);
    vl_dsift_set_flat_window(filter, VL_TRUE);
    vl_dsift_process(filter, picture.data());
    const int columns = image.width - 12;
    const float* theirs = vl_dsift_get_descriptors(filter);
    for (size_t i = 0; i < set.size(); ++i) {
      const int x0 = static_cast<int>(std::lround(set.places(i, 0) * image.width - 8)) + 2;
      const int y0 = static_cast<int>(std::lround(set.places(i, 1) * image.height - 8)) + 2;
      const float* other = theirs + size_t{128} * (static_cast<size_t>(y0) * columns + x0);
      if (std::ranges::all_of(set.vectors.row(i), [](float v) { return v == 0; })) continue;
      const double r = correlation(set.vectors.row(i), other);
      worst = std::min(worst, r);
      total += r;
      ++count;
    }
    vl_dsift_delete(filter);
  }
  EXPECT_GT(total / static_cast<double>(count), 0.95);
  EXPECT_GT(worst, 0.95);
}

}  // namespace
}  // namespace muster
