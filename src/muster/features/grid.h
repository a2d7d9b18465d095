// The regular grid of square patches that dense features share.
#pragma once

#include "muster/core/vector_set.h"

namespace muster {

// Patches along one side of a picture: patch i covers pixels [offset + i step, offset + i step +
// size). They lie wholly inside and the grid is centred.
struct GridAxis {
  int size = 0;
  int step = 0;
  int offset = 0;
  int count = 0;

  GridAxis(int length, int size, int step) : size(size), step(step) {
    if (length < size) return;
    count = (length - size) / step + 1;
    offset = (length - size) % step / 2;
  }
  int first_pixel(int patch) const { return offset + patch * step; }
};

// Writes the places of a grid's patches, row by row, from row `begin` of `places` on.
void write_places(const GridAxis& x, const GridAxis& y, int width, int height, size_t begin,
                  Matrix<float>& places);

}  // namespace muster
