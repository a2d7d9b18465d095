// Random inputs for tests.
#pragma once

#include "muster/core/rng.h"
#include "muster/core/vector_set.h"

namespace muster::oracle {

inline Matrix<float> normal_matrix(size_t rows, size_t cols, Rng rng) {
  Matrix<float> out(rows, cols);
  for (float& value : out.values()) value = static_cast<float>(rng.normal());
  return out;
}

// A set of m vectors with uniform places.
inline VectorSet normal_set(size_t m, size_t d, Rng rng) {
  VectorSet set{normal_matrix(m, d, rng.derive("vectors")), Matrix<float>(m, 3), 320, 240};
  Rng places = rng.derive("places");
  for (float& value : set.places.values()) value = static_cast<float>(places.uniform());
  return set;
}

}  // namespace muster::oracle
