#include "muster/draw/font.h"

#include <gtest/gtest.h>

#include <set>

namespace muster {
namespace {

TEST(Font, EveryCharacterIsDrawnInItsOwnWayWithinItsWidth) {
  std::set<std::vector<double>> seen;
  for (char c = 33; c < 127; ++c) {
    const std::string text(1, c);
    const std::vector<Glyph> glyphs = set_text(text, 8);
    ASSERT_EQ(glyphs.size(), 1u);
    ASSERT_FALSE(glyphs[0].segments.empty()) << c;
    std::vector<double> numbers;
    for (const Segment& s : glyphs[0].segments)
      for (const Spot& spot : {s.from, s.to}) {
        EXPECT_GE(spot.x, 0) << c;
        EXPECT_LT(spot.x, text_width(text, 8)) << c;
        EXPECT_GE(spot.y, -8) << c << ": above the capitals";
        EXPECT_LE(spot.y, 3) << c << ": below the descenders";
        numbers.insert(numbers.end(), {spot.x, spot.y});
      }
    EXPECT_TRUE(seen.insert(numbers).second) << c << " looks like another character";
  }
}

TEST(Font, WidthsAddUpAndScale) {
  EXPECT_EQ(text_width("", 8), 0);
  EXPECT_GT(text_width(" ", 8), 0);
  EXPECT_DOUBLE_EQ(text_width("level 3", 8), text_width("level", 8) + text_width(" 3", 8));
  EXPECT_DOUBLE_EQ(text_width("level", 24), 3 * text_width("level", 8));
}

TEST(Font, OtherCharactersAreQuestionMarks) {
  EXPECT_EQ(set_text("gr\xC3\xBC\xC3\x9F", 8).size(), 4u);  // two letters of two bytes each
  EXPECT_DOUBLE_EQ(text_width("\xC3\xBC", 8), text_width("?", 8));
  EXPECT_DOUBLE_EQ(text_width("\n", 8), text_width("?", 8));
}

}  // namespace
}  // namespace muster
