// The patterns that tell the synthetic classes apart (an internal part of synth.h). A pattern is a
// function of a place in pattern coordinates, where one unit is the distance between neighbouring
// elements. It answers how much of the place is inked, 0 to 1, with edges a tenth of a unit soft,
// so that one sample per pixel is anti-aliased enough.
#pragma once

#include <cstdint>
#include <span>

namespace muster::synth {

struct Point {
  double x = 0;
  double y = 0;
};

struct Pattern {
  const char* name;
  // `key` selects one instance of whatever is random in the pattern. Pure, thread-safe.
  double (*ink)(Point p, uint64_t key);
};

// All patterns, in the order in which classes are taken from them.
std::span<const Pattern> patterns();

// Ink of a region with signed distance `d` to its edge (negative inside), edge `softness` wide.
double cover(double d, double softness = 0.1);
double segment_distance(Point p, Point a, Point b);

}  // namespace muster::synth
