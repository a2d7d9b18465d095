// Letters made of straight strokes, for legends: ASCII 32 .. 126, of any size.
#pragma once

#include <string_view>
#include <vector>

#include "muster/draw/canvas.h"

namespace muster {

// Strokes of a character, relative to the left end of the text's baseline.
struct Glyph {
  std::vector<Segment> segments;
};

// One glyph per character of the text, side by side; `height_px` is that of capital letters. UTF-8
// characters beyond ASCII, and control characters, appear as '?'.
std::vector<Glyph> set_text(std::string_view text, double height_px);

// From the first stroke to the end of the last character, with the space that follows it.
double text_width(std::string_view text, double height_px);

}  // namespace muster
