// A procedural image set that is neither trivial nor impossible, for demonstrations and tests: each
// class is a pattern of local structure (bricks, stars, scales, ...) shown in a blob amid clutter.
// Colours, light, pose, scale, noise and occlusion come from the same distribution for all classes,
// so neither colour nor brightness tells them apart; a part of most pictures even shows another
// class's pattern, smaller than the class's own.
#pragma once

#include <string>
#include <vector>

#include "muster/core/rng.h"
#include "muster/image/image.h"

namespace muster {

constexpr int kSynthMinSide = 16;
constexpr int kSynthMaxSide = 4096;

// How many classes there are to choose from.
int synth_max_classes();

// The names of the first n classes, in the order of class_index; distinct, lower-case ASCII.
// Throws a usage error unless 2 <= n <= synth_max_classes().
std::vector<std::string> synth_class_names(int n);

// One picture of a class. A function of its arguments alone: derive one stream per image. Patterns
// grow with the picture, which shows the same number of elements at any size. Throws a usage error
// if a side is outside [kSynthMinSide, kSynthMaxSide]. Thread-safe; below 1 us per pixel.
Image synth_image(int class_index, int width, int height, Rng rng);

}  // namespace muster
