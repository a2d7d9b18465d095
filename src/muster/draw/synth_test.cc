#include "muster/draw/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "muster/core/parallel.h"
#include "muster/draw/synth_patterns.h"

namespace muster {
namespace {

Image picture(int class_index, uint64_t seed, int width = 80, int height = 60) {
  return synth_image(class_index, width, height, Rng(seed));
}

TEST(Synth, NamesAreDistinctAndTheFirstOfThemStay) {
  const std::vector<std::string> all = synth_class_names(synth_max_classes());
  EXPECT_GE(all.size(), 8u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  const std::vector<std::string> few = synth_class_names(3);
  EXPECT_EQ(few, std::vector<std::string>(all.begin(), all.begin() + 3));
}

TEST(Synth, RefusesWrongCountsAndSizesWithTheRange) {
  for (const int n : {-1, 0, 1, synth_max_classes() + 1}) {
    try {
      synth_class_names(n);
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), testing::HasSubstr("2 to"));
    }
  }
  EXPECT_THROW(synth_image(0, kSynthMinSide - 1, 100, Rng(1)), Error);
  EXPECT_THROW(synth_image(0, 100, kSynthMaxSide + 1, Rng(1)), Error);
}

RC_GTEST_PROP(Synth, EveryClassSizeAndSeedGivesAFullPictureWithStructure, ()) {
  const int index = *rc::gen::inRange(0, synth_max_classes());
  const int width = *rc::gen::inRange(kSynthMinSide, 90);
  const int height = *rc::gen::inRange(kSynthMinSide, 90);
  const Image image = synth_image(index, width, height, Rng(*rc::gen::arbitrary<uint64_t>()));
  RC_ASSERT(image.width == width && image.height == height);
  RC_ASSERT(image.rgb.size() == static_cast<size_t>(width) * height * 3);
  RC_ASSERT(std::set<uint8_t>(image.rgb.begin(), image.rgb.end()).size() > 16u);
}

TEST(Synth, SameStreamSamePictureOtherStreamAnother) {
  EXPECT_EQ(picture(2, 7), picture(2, 7));
  EXPECT_NE(picture(2, 7), picture(2, 8));
  EXPECT_NE(picture(2, 7), picture(3, 7));
}

TEST(Synth, ThreadsDoNotChangeAByte) {
  constexpr size_t kPictures = 24;
  const auto set = [](int threads) {
    const ThreadLimit limit(threads);
    std::vector<Image> images(kPictures);
    parallel_for(kPictures, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        images[i] = synth_image(static_cast<int>(i % 8), 40, 30, Rng(1).derive(i));
    });
    return images;
  };
  EXPECT_EQ(set(1), set(4));
}

TEST(Synth, MeanColourTellsNothing) {
  // The class means of brightness must lie within what random colours explain: the F statistic of
  // one-way analysis of variance over 8 classes x 40 pictures is about 1, above 2.7 once in 100
  // sets.
  constexpr int kClasses = 8, kPerClass = 40;
  std::array<double, kClasses> means{};
  double within = 0, grand = 0;
  for (int c = 0; c < kClasses; ++c) {
    std::vector<double> values;
    for (int i = 0; i < kPerClass; ++i) {
      const Image image = synth_image(c, 32, 24, Rng(5).derive(uint64_t(c)).derive(uint64_t(i)));
      double sum = 0;
      for (const uint8_t value : image.rgb) sum += value;
      values.push_back(sum / static_cast<double>(image.rgb.size()));
    }
    for (const double value : values) means[c] += value / kPerClass;
    for (const double value : values) within += (value - means[c]) * (value - means[c]);
    grand += means[c] / kClasses;
  }
  double between = 0;
  for (const double mean : means) between += kPerClass * (mean - grand) * (mean - grand);
  const double f = (between / (kClasses - 1)) / (within / (kClasses * (kPerClass - 1)));
  EXPECT_LT(f, 2.7);
}

TEST(SynthPatterns, InkIsAFractionAndBothColoursShow) {
  for (const synth::Pattern& pattern : synth::patterns()) {
    Rng rng(3);
    double sum = 0;
    constexpr int kPlaces = 4000;
    for (int i = 0; i < kPlaces; ++i) {
      const double ink = pattern.ink({rng.uniform(-60, 60), rng.uniform(-60, 60)}, 11);
      ASSERT_GE(ink, 0) << pattern.name;
      ASSERT_LE(ink, 1) << pattern.name;
      sum += ink;
    }
    EXPECT_GT(sum / kPlaces, 0.1) << pattern.name;
    EXPECT_LT(sum / kPlaces, 0.9) << pattern.name;
  }
}

TEST(SynthPatterns, SegmentDistance) {
  EXPECT_DOUBLE_EQ(synth::segment_distance({0, 2}, {-1, 0}, {1, 0}), 2);
  EXPECT_DOUBLE_EQ(synth::segment_distance({4, 4}, {-1, 0}, {1, 0}), 5);
  EXPECT_DOUBLE_EQ(synth::segment_distance({3, 4}, {0, 0}, {0, 0}), 5);
}

}  // namespace
}  // namespace muster
