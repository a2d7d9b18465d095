// A picture and what in it speaks for a class: the picture with its strongest patches, a map of the
// evidence over it, the patches by themselves, and the training pictures that decided.
#pragma once

#include <string>
#include <vector>

#include "muster/draw/draw_matches.h"

namespace muster {

// A square patch; places and sizes are of the picture, the size of its longest side.
struct EvidencePatch {
  double x = 0, y = 0, size = 0;
  double value = 0;
};

// Another picture, and which of its places match which of the explained one (on the left).
struct DecidingPicture {
  Image picture;
  std::string label;
  std::vector<MatchLine> lines;
};

struct EvidenceDrawing {
  std::vector<std::string> title;         // one line each
  Matrix<double> map;                     // rows and columns over the picture
  std::vector<EvidencePatch> for_class;   // the strongest first
  std::vector<EvidencePatch> against_it;  // the strongest first
  std::vector<DecidingPicture> deciding;  // may be empty
};

// Evidence for is orange, against is blue; the legend says how much of the score a percent of the
// picture brings at the ends of the scale.
Image draw_evidence(const Image& picture, const EvidenceDrawing& drawing);

}  // namespace muster
