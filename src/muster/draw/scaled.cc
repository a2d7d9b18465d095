#include "muster/draw/scaled.h"

#include <algorithm>
#include <cmath>

#include "muster/image/resize.h"

namespace muster {

Image at_height(const Image& image, int height) {
  const int width =
      std::max(1, static_cast<int>(std::lround(double(image.width) * height / image.height)));
  if (height >= image.height && width >= image.width) return enlarge_to(image, width, height);
  return shrink_to(image, std::min(width, image.width), std::min(height, image.height));
}

Image fit_within(const Image& image, int width, int height) {
  const double most = double(width) * image.height / image.width;
  return at_height(image, std::max(1, static_cast<int>(std::min<double>(height, most))));
}

Image pale(Image image) {
  const Matrix<float> light = grey(image);
  for (size_t p = 0; p < light.size(); ++p)
    std::fill_n(image.rgb.begin() + static_cast<ptrdiff_t>(3 * p), 3,
                static_cast<uint8_t>(std::lround(112 + 0.55f * light.values()[p])));
  return image;
}

}  // namespace muster
