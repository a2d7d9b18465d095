// Nearest centre of each vector, exactly: argmax_j x.c_j - |c_j|^2 / 2, by tiles of a matrix
// product that stay in cache. Cost O(m k d) time, O(k) memory beside a tile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// |row|^2 / 2 for each row.
std::vector<float> half_squared_norms(ConstMatrixView rows);

// nearest[i] = index of the row of `centres` nearest to row i of `vectors`, of equally
// near ones the first; squared_distances, if not empty, gets the distance to it (never negative).
// On the calling thread.
void find_nearest(ConstMatrixView vectors, ConstMatrixView centres,
                  std::span<const float> centre_half_norms, std::span<uint32_t> nearest,
                  std::span<float> squared_distances = {});

}  // namespace muster
