// How a picture becomes a set: the extractor, the size that pictures are shrunk to before it, and
// the text that names both. Features at rest are half precision (docs/decisions/0003), and they are
// rounded alike whether they are kept or made again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/features/extractor.h"

namespace muster {

struct Extraction {
  std::string spec;  // the feature stage with every option spelled out: the key of caches
  std::shared_ptr<const Extractor> extractor;
  int max_side_px = 0;
};

// A set whose vectors are kept in half precision.
struct HalfSet {
  std::vector<uint16_t> halves;
  size_t rows = 0, cols = 0;
  Matrix<float> places;
  int image_width = 0, image_height = 0;

  size_t num_bytes() const {
    return halves.size() * sizeof(uint16_t) + places.size() * sizeof(float);
  }
};

HalfSet to_half(const VectorSet& set);
VectorSet to_float(const HalfSet& set);

// The features of a picture that has its size already, rounded to half precision. Features that are
// not finite are a data error that names the picture.
VectorSet extract(const Extraction& extraction, const Image& image, const std::string& name);

}  // namespace muster
