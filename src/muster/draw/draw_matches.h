// Two pictures side by side with lines between the points that were matched.
#pragma once

#include <string>
#include <vector>

#include "muster/image/image.h"

namespace muster {

// From a point of the left picture to one of the right; places in [0, 1] of each.
struct MatchLine {
  float left_x, left_y, right_x, right_y;
};

// Lines of one colour, and what the legend says of them.
struct MatchGroup {
  std::string label;
  std::vector<MatchLine> lines;
};

// The pictures in pale grey, at one height of at least 400 pixels; below them a legend that begins
// with `title`. The first group is blue, the last red, the others lie between; earlier groups are
// drawn over later ones.
Image draw_matches(const Image& left, const Image& right, const std::vector<MatchGroup>& groups,
                   const std::string& title);

}  // namespace muster
