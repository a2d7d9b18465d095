// Pictures as parts of drawings.
#pragma once

#include "muster/image/image.h"

namespace muster {

// At another height, the width in proportion.
Image at_height(const Image& image, int height);
// As large as it can be within so many pixels.
Image fit_within(const Image& image, int width, int height);
// Grey and pale, so that what is drawn over it stands out.
Image pale(Image image);

}  // namespace muster
