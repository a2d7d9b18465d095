// Sets of whole numbers, which pyramids bin exactly, and the grid that a fitted kernel drew.
#pragma once

#include <cmath>

#include "muster/setkernel/set_kernel.h"

namespace muster {

using Sets = std::vector<VectorSet>;

inline VectorSet set_of(Matrix<float> vectors) { return {std::move(vectors), {}, 0, 0}; }

// Whole numbers in [low, low + range).
inline VectorSet whole_numbers(size_t m, size_t d, double low, double range, Rng rng) {
  Matrix<float> out(m, d);
  for (float& value : out.values())
    value = static_cast<float>(low + std::floor(rng.uniform() * range));
  return set_of(std::move(out));
}

inline Sample all_of(const Sets& sets) {
  size_t rows = 0, next = 0, cols = 0;
  for (const VectorSet& set : sets) rows += set.size(), cols = std::max(cols, set.dim());
  Sample out{Matrix<float>(rows, cols), std::vector<int>(rows, -1), 0};
  for (const VectorSet& set : sets)
    for (size_t i = 0; i < set.size(); ++i)
      std::ranges::copy(set.vectors.row(i), out.vectors.row(next++).begin());
  return out;
}

struct Grid {
  Matrix<double> offsets;
  double scale;
  int planes;

  explicit Grid(const SetKernel& kernel) {
    TensorMap map;
    kernel.save(TensorWriter(map));
    const TensorReader in = TensorReader(map).scope("grid");
    offsets = in.matrix<double>("offsets");
    scale = in.number("scale");
    planes = static_cast<int>(in.number("planes"));
  }
  std::vector<double> offset(size_t pyramid) const {
    const auto row = offsets.row(pyramid);
    return {row.begin(), row.end()};
  }
};

}  // namespace muster
