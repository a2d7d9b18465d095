// Colours for values on both sides of zero: blue below, near-white at zero, orange above.
#pragma once

#include "muster/draw/canvas.h"

namespace muster {

// `value` in [-1, 1]; what lies beyond counts as the end. Equal steps of the value look equally
// large and both sides equally dark: the colours lie on two straight lines of Oklab (Ottosson
// 2020). Blue and orange are told apart with any of the common colour deficiencies.
Colour diverging(double value);

}  // namespace muster
