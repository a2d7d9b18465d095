#include "muster/draw/draw_matches.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Image flat(int width, int height, uint8_t value) {
  return {width, height, std::vector<uint8_t>(size_t{3} * width * height, value)};
}

// Pixels whose channels differ by much: neither the grey pictures nor the ink.
size_t coloured(const Image& image) {
  size_t count = 0;
  for (size_t p = 0; p < image.rgb.size(); p += 3) {
    const auto [low, high] = std::minmax({image.rgb[p], image.rgb[p + 1], image.rgb[p + 2]});
    count += high - low > 60;
  }
  return count;
}

TEST(DrawMatches, PutsLinesBetweenPicturesOfUnequalSizes) {
  const Image left = flat(120, 90, 80), right = flat(640, 480, 200);
  const Image none = draw_matches(left, right, {}, "nothing"),
              one = draw_matches(left, right, {{"level 0: 1", {{0, 0, 1, 1}}}}, "one");
  EXPECT_EQ(coloured(none), 0u);
  EXPECT_GT(coloured(one), 500u);
  EXPECT_GE(one.width, 640 + 640);
  EXPECT_GT(one.height, 480);
  EXPECT_EQ(one.rgb.size(), size_t{3} * one.width * one.height);
}

TEST(DrawMatches, GroupsHaveColoursOfTheirOwnAndALongLegendIsWrapped) {
  std::vector<MatchGroup> groups;
  for (int level = 0; level < 12; ++level)
    groups.push_back(
        {"level " + std::to_string(level) + ": 1", {{0.5f, 0.08f * level, 0.5f, 0.08f * level}}});
  const Image picture = draw_matches(flat(200, 300, 128), flat(200, 300, 128), groups, "many");
  const auto pixel = [&](int x, int y) {
    const size_t p = 3 * (static_cast<size_t>(y) * picture.width + x);
    return std::array<int, 3>{picture.rgb[p], picture.rgb[p + 1], picture.rgb[p + 2]};
  };
  const auto first = pixel(200, 0), last = pixel(200, 352);
  EXPECT_GT(first[2], first[0] + 60) << "the first group is blue";
  EXPECT_GT(last[0], last[2] + 60) << "the last group is red";
  EXPECT_GT(picture.height,
            draw_matches(flat(200, 300, 128), flat(200, 300, 128), {groups[0]}, "few").height);
  EXPECT_EQ(picture, draw_matches(flat(200, 300, 128), flat(200, 300, 128), groups, "many"));
}

}  // namespace
}  // namespace muster
