#include "muster/features/sift.h"

#include <gtest/gtest.h>

#include "muster/core/parallel.h"
#include "support/pictures.h"
#include "support/real_pictures.h"

namespace muster {
namespace {

const SiftDetector kDetectors[] = {SiftDetector::kDog, SiftDetector::kHarris,
                                   SiftDetector::kHarrisAffine, SiftDetector::kHarrisMultiscale};

// Bright rectangles and discs on grey: corners and blobs.
Image shapes_picture(int width, int height) {
  return make_picture(width, height, [](int x, int y, int) {
    const int u = x % 40 - 20, v = y % 40 - 20;
    if ((x / 40 + y / 40) % 2 == 0) return std::abs(u) < 9 && std::abs(v) < 7 ? 230 : 80;
    return u * u + v * v < 80 ? 20 : 80;
  });
}

void expect_sound(const VectorSet& set) {
  ASSERT_EQ(set.dim(), 128u);
  ASSERT_EQ(set.places.rows(), set.size());
  for (float value : set.places.values()) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
  }
  for (size_t i = 0; i < set.size(); ++i) {
    double length = 0;
    for (float value : set.vectors.row(i)) {
      ASSERT_TRUE(std::isfinite(value) && value >= 0);
      length += static_cast<double>(value) * value;
    }
    EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-4) << length;
  }
}

TEST(Sift, FindsPointsOnShapes) {
  for (const SiftDetector detector : kDetectors) {
    const VectorSet set = make_sift({.detector = detector})->extract(shapes_picture(200, 160));
    EXPECT_GT(set.size(), 20u);
    expect_sound(set);
    for (size_t i = 1; i < set.size(); ++i) EXPECT_LE(set.places(i - 1, 1), set.places(i, 1));
  }
}

TEST(Sift, EveryScaleHasMorePointsThanTheLaplacianOne) {
  const Image image = shapes_picture(200, 160);
  const auto count = [&](SiftDetector detector) {
    return make_sift({.detector = detector})->extract(image).size();
  };
  EXPECT_GT(count(SiftDetector::kHarrisMultiscale), count(SiftDetector::kHarris));
}

// The points are the same, each once; only descriptors that are not turned know which way is up.
TEST(Sift, UprightDescriptorsChangeIfThePictureIsTurned) {
  const Image image = make_picture(120, 120, [](int x, int y, int) {
    return std::abs(x - 60) < 25 && std::abs(y - 60) < 12 ? 230 : 80;
  });
  const Image turned = make_picture(120, 120, [](int x, int y, int) {
    return std::abs(y - 60) < 25 && std::abs(x - 60) < 12 ? 230 : 80;
  });
  const auto mean = [](const Image& picture, bool upright) {
    const VectorSet set =
        make_sift({.detector = SiftDetector::kHarris, .upright = upright})->extract(picture);
    expect_sound(set);
    std::vector<double> out(set.dim());
    for (size_t i = 0; i < set.size(); ++i)
      for (size_t t = 0; t < set.dim(); ++t) out[t] += set.vectors(i, t) / set.size();
    return out;
  };
  const auto distance = [&](bool upright) {
    const std::vector<double> a = mean(image, upright), b = mean(turned, upright);
    double sum = 0;
    for (size_t t = 0; t < a.size(); ++t) sum += (a[t] - b[t]) * (a[t] - b[t]);
    return sum;
  };
  EXPECT_LT(distance(false), distance(true) / 2);
}

TEST(Sift, TwiceTheResolutionHasMorePoints) {
  const Image image = shapes_picture(200, 160);
  const auto count = [&](FirstOctave first) {
    return make_sift({.detector = SiftDetector::kHarrisMultiscale, .first_octave = first})
        ->extract(image)
        .size();
  };
  EXPECT_GT(count(FirstOctave::kDoubled), count(FirstOctave::kOwn));
  EXPECT_EQ(count(FirstOctave::kAuto), count(FirstOctave::kOwn));
}

TEST(Sift, DegeneratePicturesGiveEmptySets) {
  for (const SiftDetector detector : kDetectors) {
    const auto sift = make_sift({.detector = detector});
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 300}, {300, 3}, {16, 16}, {17, 100}}) {
      EXPECT_EQ(sift->extract(flat_picture(width, height, 0)).size(), 0u);
      expect_sound(sift->extract(noise_picture(width, height)));
    }
    EXPECT_EQ(sift->extract(flat_picture(100, 100, 255)).size(), 0u);
  }
}

TEST(Sift, KeepsTheStrongest) {
  for (const SiftDetector detector : kDetectors) {
    const Image image = shapes_picture(200, 160);
    const VectorSet all = make_sift({.detector = detector})->extract(image);
    const VectorSet few = make_sift({.detector = detector, .max_features = 7})->extract(image);
    EXPECT_EQ(few.size(), 7u);
    for (size_t i = 0; i < few.size(); ++i) {
      bool found = false;
      for (size_t j = 0; j < all.size(); ++j)
        found |= std::ranges::equal(few.vectors.row(i), all.vectors.row(j));
      EXPECT_TRUE(found);
    }
  }
}

TEST(Sift, ThreadsDoNotMatter) {
  for (const SiftDetector detector : kDetectors) {
    const auto sift = make_sift({.detector = detector});
    std::vector<VectorSet> sets(8);
    parallel_for(sets.size(), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        sets[i] = sift->extract(shapes_picture(120, 90 + (i % 2)));
    });
    for (size_t i = 2; i < sets.size(); ++i) EXPECT_EQ(sets[i], sets[i % 2]);
  }
}

TEST(Sift, RealPicturesAreSound) {
  const std::vector<Image> pictures = real_pictures(4);
  if (pictures.empty())
    GTEST_SKIP() << "no data: set MUSTER_DATA to the folder that holds scene-15";
  for (const SiftDetector detector : kDetectors) {
    for (const Image& image : pictures) {
      const VectorSet set = make_sift({.detector = detector})->extract(image);
      EXPECT_GT(set.size(), 20u);
      expect_sound(set);
    }
  }
}

TEST(Sift, RefusesBadOptions) { EXPECT_THROW(make_sift({.max_features = -1}), Error); }

}  // namespace
}  // namespace muster
