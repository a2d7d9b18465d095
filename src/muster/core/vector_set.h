// A variable-size set of vectors: what every method of the toolkit represents and compares.
#pragma once

#include "muster/core/matrix.h"

namespace muster {

struct VectorSet {
  // m x d, one vector per row.
  Matrix<float> vectors;
  // m x 3 (x, y, scale, each in [0, 1] of the image) or m x 0 if places are unknown.
  Matrix<float> places;
  // Size of the image the set came from; 0 x 0 for sets that came from no image.
  int image_width = 0;
  int image_height = 0;
  // One per vector, or none if all count alike: a vector of weight w counts as w vectors.
  std::vector<float> weights = {};

  size_t size() const { return vectors.rows(); }
  size_t dim() const { return vectors.cols(); }
  bool has_places() const { return places.cols() == 3; }
  bool has_weights() const { return !weights.empty(); }

  bool operator==(const VectorSet&) const = default;
};

// Vectors drawn from many sets, for fitting a reduction or a vocabulary.
struct Sample {
  Matrix<float> vectors;
  // The class of the item that each vector came from (its first label), -1 if it has none.
  std::vector<int> labels;
  int num_classes = 0;
};

}  // namespace muster
