// Pictures of another size.
#pragma once

#include "muster/image/image.h"

namespace muster {

// Each pixel becomes the mean of the area that it covers; pixels on its edge count by the part that
// lies in it. 1 <= width <= image.width, the same for the height. Sums are floats in a fixed order,
// results are rounded to the nearest level, halves to the even one (but up if both sides are halved
// exactly).
Image shrink_to(Image image, int width, int height);

// The same of the first part_width x part_height pixels, which may end within a pixel.
Image shrink_part(Image image, double part_width, double part_height, int width, int height);

// Each pixel is interpolated between the centres of its four neighbours; width >= image.width, the
// same for the height.
Image enlarge_to(const Image& image, int width, int height);

}  // namespace muster
