// SIFT at interest points: DoG (Lowe, IJCV 2004), Harris-Laplace and its affine-adapted form
// (Mikolajczyk & Schmid, IJCV 2004; GEN section 5), and Harris corners of every scale (PMK on
// ETH-80).
//
// Each point's neighbourhood is rotated to its dominant gradient unless upright (and, for
// harris-affine, unskewed) and described by 4 x 4 cells x 8 orientations as in dsift: unit length,
// clipped at 0.2, unit length.
#pragma once

#include <memory>

#include "muster/core/options.h"
#include "muster/features/extractor.h"

namespace muster {

enum class SiftDetector { kDog, kHarris, kHarrisAffine, kHarrisMultiscale };

enum class FirstOctave { kAuto, kDoubled, kOwn };

struct SiftOptions {
  SiftDetector detector = SiftDetector::kDog;
  int max_features = 0;
  std::optional<double> contrast = {};
  bool upright = false;
  FirstOctave first_octave = FirstOctave::kAuto;

  void fields(Fields& f) {
    f.choice("detector", detector, {"dog", "harris", "harris-affine", "harris-multiscale"},
             "what finds the points")
        .paper("GEN 5");
    f("max_features", max_features, "keep the points with the strongest response; 0 keeps all")
        .range(0, 1000000);
    f("contrast", contrast,
      "least response of a point: auto is 0.04 for dog (of the contrast range), 0.000002 for the "
      "Harris measure")
        .range(0, 1);
    f("upright", upright,
      "leave neighbourhoods as they are instead of turning each to its gradient");
    f.choice(
        "first_octave", first_octave, {"auto", "-1", "0"},
        "where the scale space begins: -1 at twice the resolution, 0 at the picture's own; auto "
        "is -1 for dog, else 0");
  }
};

// Throws a usage error for options out of range. Points are listed from top to bottom, left to
// right, by scale; a point with several dominant orientations counts once for each. Place: the
// point, as a part of width and height; scale: diameter of the described region over the longest
// side, at most 1. A picture without a point gives an empty set. Cost: the scale space, O(pixels)
// with a large constant (tens of milliseconds).
std::unique_ptr<Extractor> make_sift(const SiftOptions& options);

}  // namespace muster
