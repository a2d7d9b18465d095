#include "muster/draw/canvas.h"

#include <algorithm>
#include <cmath>

#include "muster/draw/font.h"

namespace muster {
namespace {

double squared_distance(Spot p, const Segment& s) {
  const double dx = s.to.x - s.from.x, dy = s.to.y - s.from.y;
  const double length = dx * dx + dy * dy;
  const double along =
      length > 0 ? std::clamp(((p.x - s.from.x) * dx + (p.y - s.from.y) * dy) / length, 0.0, 1.0)
                 : 0;
  const double x = p.x - s.from.x - along * dx, y = p.y - s.from.y - along * dy;
  return x * x + y * y;
}

struct Interval {
  double low = 0, high = -1;  // empty if high < low
};

// Of x along the part of a segment between the heights y - reach and y + reach.
Interval crossing(const Segment& s, double y, double reach) {
  const auto [left, right] = std::minmax(s.from.x, s.to.x);
  const double top = std::min(s.from.y, s.to.y), bottom = std::max(s.from.y, s.to.y);
  if (bottom < y - reach || top > y + reach) return {};
  if (bottom == top) return {left, right};
  const double slope = (s.to.x - s.from.x) / (s.to.y - s.from.y);
  const auto x_at = [&](double height) {
    return s.from.x + slope * (std::clamp(height, top, bottom) - s.from.y);
  };
  const auto [low, high] = std::minmax({x_at(y - reach), x_at(y + reach)});
  return {low, high};
}

// Pixels of 0 .. length - 1 whose centres lie between two places.
Interval pixels_between(double low, double high, int length) {
  return {std::max(std::ceil(low - 0.5), 0.0), std::min(std::floor(high - 0.5), length - 1.0)};
}

}  // namespace

Colour from_hsv(double hue, double saturation, double value) {
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue / 60, 6);
    const double share = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
    return static_cast<uint8_t>(std::lround(255 * value * (1 - saturation * share)));
  };
  return {channel(5), channel(3), channel(1)};
}

Canvas::Canvas(int width, int height, Colour paper)
    : image_{width, height, std::vector<uint8_t>(size_t{3} * width * height)} {
  rectangle(0, 0, width, height, paper);
}

void Canvas::paste(const Image& image, int left, int top) {
  const int begin = std::max(0, -left), end = std::min(image.width, image_.width - left);
  if (begin >= end) return;
  for (int y = std::max(0, -top); y < std::min(image.height, image_.height - top); ++y)
    std::copy_n(&image.rgb[3 * (size_t(y) * image.width + begin)], 3 * (end - begin),
                &image_.rgb[3 * (size_t(y + top) * image_.width + left + begin)]);
}

void Canvas::rectangle(int left, int top, int width, int height, Colour colour) {
  for (int y = std::max(0, top); y < std::min(top + height, image_.height); ++y)
    for (int x = std::max(0, left); x < std::min(left + width, image_.width); ++x)
      blend(x, y, 1, colour);
}

void Canvas::stroke(std::span<const Segment> segments, double width_px, Colour colour) {
  if (segments.empty()) return;
  const double reach = width_px / 2 + 0.5;  // a pixel at this distance is not touched any more
  double top = image_.height, bottom = 0;
  for (const Segment& s : segments) {
    top = std::min({top, s.from.y, s.to.y});
    bottom = std::max({bottom, s.from.y, s.to.y});
  }
  const Interval rows = pixels_between(top - reach, bottom + reach, image_.height);
  for (int y = static_cast<int>(rows.low); y <= rows.high; ++y) {
    Interval span{static_cast<double>(image_.width), 0};
    for (const Segment& s : segments) {
      const Interval part = crossing(s, y + 0.5, reach);
      if (part.high < part.low) continue;
      span = {std::min(span.low, part.low), std::max(span.high, part.high)};
    }
    const Interval columns = pixels_between(span.low - reach, span.high + reach, image_.width);
    for (int x = static_cast<int>(columns.low); x <= columns.high; ++x) {
      double nearest = reach * reach;
      for (const Segment& s : segments)
        nearest = std::min(nearest, squared_distance({x + 0.5, y + 0.5}, s));
      blend(x, y, std::min(1.0, reach - std::sqrt(nearest)), colour);
    }
  }
}

void Canvas::line(Spot from, Spot to, double width_px, Colour colour) {
  const Segment segment{from, to};
  stroke({&segment, 1}, width_px, colour);
}

void Canvas::disc(Spot centre, double radius_px, Colour colour) {
  line(centre, centre, 2 * radius_px, colour);
}

void Canvas::text(Spot start, std::string_view text, double height_px, Colour colour) {
  constexpr double kStrokeShare = 0.13;  // of the height
  for (const Glyph& glyph : set_text(text, height_px)) {
    std::vector<Segment> segments = glyph.segments;
    for (Segment& s : segments)
      for (Spot* spot : {&s.from, &s.to}) *spot = {start.x + spot->x, start.y + spot->y};
    stroke(segments, std::max(1.0, kStrokeShare * height_px), colour);
  }
}

void Canvas::blend(int x, int y, double share, Colour colour) {
  uint8_t* pixel = &image_.rgb[3 * (static_cast<size_t>(y) * image_.width + x)];
  const uint8_t channels[] = {colour.red, colour.green, colour.blue};
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<uint8_t>(
        std::lround(std::lerp(static_cast<double>(pixel[c]), channels[c], share)));
}

}  // namespace muster
