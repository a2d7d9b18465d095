#include "muster/draw/draw_matches.h"

#include <algorithm>
#include <cmath>

#include "muster/draw/canvas.h"
#include "muster/draw/font.h"
#include "muster/draw/scaled.h"

namespace muster {
namespace {

constexpr int kGapPx = 12, kMarginPx = 10, kLegendLinePx = 24;
constexpr int kSamplePx = 20, kSampleGapPx = 8, kEntryGapPx = 20;  // of a line in the legend
constexpr int kLeastHeightPx = 400, kMostHeightPx = 900;
constexpr double kTextPx = 10;
constexpr Colour kInk{40, 40, 40}, kPaper{255, 255, 255};

// From blue (first) by green and yellow to red (last).
Colour colour_of(size_t group, size_t count) {
  constexpr double kBlue = 220;
  const double hue =
      count < 2 ? kBlue
                : kBlue * static_cast<double>(count - 1 - group) / static_cast<double>(count - 1);
  return from_hsv(hue, 0.92, 0.8);
}

struct LegendEntry {
  int left, top;  // in the legend
  std::string text;
};

// Entries in lines of at most `width`; the first is the title and stands alone.
std::vector<LegendEntry> lay_out(const std::vector<MatchGroup>& groups, const std::string& title,
                                 int width) {
  std::vector<LegendEntry> out{{kMarginPx, 0, title}};
  int x = kMarginPx, y = kLegendLinePx;
  for (const MatchGroup& group : groups) {
    const int needed = kSamplePx + kSampleGapPx +
                       static_cast<int>(std::ceil(text_width(group.label, kTextPx))) + kEntryGapPx;
    if (x > kMarginPx && x + needed > width) {
      x = kMarginPx;
      y += kLegendLinePx;
    }
    out.push_back({x, y, group.label});
    x += needed;
  }
  return out;
}

void draw_legend(Canvas& canvas, const std::vector<LegendEntry>& entries, int top) {
  for (size_t e = 0; e < entries.size(); ++e) {
    const double x = entries[e].left + 0.5, middle = top + entries[e].top + kLegendLinePx / 2.0;
    const bool is_title = e == 0;
    if (!is_title)
      canvas.line({x, middle}, {x + kSamplePx, middle}, 3, colour_of(e - 1, entries.size() - 1));
    canvas.text({x + (is_title ? 0 : kSamplePx + kSampleGapPx), middle + kTextPx / 2},
                entries[e].text, kTextPx, kInk);
  }
}

}  // namespace

Image draw_matches(const Image& left, const Image& right, const std::vector<MatchGroup>& groups,
                   const std::string& title) {
  const int height = std::clamp(std::max(left.height, right.height), kLeastHeightPx, kMostHeightPx);
  const Image a = pale(at_height(left, height)), b = pale(at_height(right, height));
  const int right_edge = a.width + kGapPx;
  const int width =
      std::max(right_edge + b.width,
               static_cast<int>(std::ceil(text_width(title, kTextPx))) + 2 * kMarginPx);
  const std::vector<LegendEntry> legend = lay_out(groups, title, width);
  const int legend_height = legend.back().top + kLegendLinePx + kMarginPx;
  Canvas canvas(width, height + kMarginPx + legend_height, kPaper);
  canvas.paste(a, 0, 0);
  canvas.paste(b, right_edge, 0);
  for (size_t g = groups.size(); g-- > 0;)
    for (const MatchLine& line : groups[g].lines) {
      const Spot from{line.left_x * a.width, line.left_y * height},
          to{right_edge + line.right_x * b.width, line.right_y * height};
      const Colour colour = colour_of(g, groups.size());
      canvas.line(from, to, 1, colour);
      canvas.disc(from, 3, colour);
      canvas.disc(to, 3, colour);
    }
  draw_legend(canvas, legend, height + kMarginPx);
  return canvas.image();
}

}  // namespace muster
