// A picture to draw on: lines, discs, rectangles, other pictures and text. All edges are
// anti-aliased.
#pragma once

#include <span>
#include <string_view>

#include "muster/image/image.h"

namespace muster {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;

  bool operator==(const Colour&) const = default;
};

// Hue in degrees (0 red, 120 green, 240 blue), saturation and value in [0, 1].
Colour from_hsv(double hue, double saturation, double value);

// In pixels from the upper left corner of the picture; the first pixel is centred at (0.5, 0.5).
struct Spot {
  double x = 0, y = 0;
};

struct Segment {
  Spot from, to;
};

// What lies outside of the picture is not drawn.
class Canvas {
 public:
  Canvas(int width, int height, Colour paper);

  void paste(const Image& image, int left, int top);
  void rectangle(int left, int top, int width, int height, Colour colour);
  // As one shape: where segments meet or cross, no pixel is painted twice. Ends are round.
  void stroke(std::span<const Segment> segments, double width_px, Colour colour);
  void line(Spot from, Spot to, double width_px, Colour colour);
  void disc(Spot centre, double radius_px, Colour colour);
  // `start`: the left end of the baseline; `height_px`: of capital letters. Characters outside of
  // ASCII 32 .. 126 appear as '?'.
  void text(Spot start, std::string_view text, double height_px, Colour colour);

  const Image& image() const { return image_; }

 private:
  void blend(int x, int y, double share, Colour colour);

  Image image_;
};

}  // namespace muster
