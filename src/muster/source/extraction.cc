#include "muster/source/extraction.h"

#include "muster/core/check_set.h"
#include "muster/simd/half.h"

namespace muster {

HalfSet to_half(const VectorSet& set) {
  HalfSet out{std::vector<uint16_t>(set.vectors.size()),
              set.size(),
              set.dim(),
              set.places,
              set.image_width,
              set.image_height};
  floats_to_halves(set.vectors.values(), out.halves);
  return out;
}

VectorSet to_float(const HalfSet& set) {
  VectorSet out{Matrix<float>(set.rows, set.cols), set.places, set.image_width, set.image_height};
  halves_to_floats(set.halves, out.vectors.values());
  return out;
}

VectorSet extract(const Extraction& extraction, const Image& image, const std::string& name) {
  VectorSet set = extraction.extractor->extract(image);
  check_set(set, name);
  std::vector<uint16_t> halves(set.vectors.size());
  floats_to_halves(set.vectors.values(), halves);
  halves_to_floats(halves, set.vectors.values());
  return set;
}

}  // namespace muster
