// Evidence by place: the vectors' values, each spread over the patch that the vector describes.
#pragma once

#include "muster/explain/item_vectors.h"

namespace muster {

// A grid of square cells over the picture whose longer side has `side` of them. Each value is
// spread by a bell that is one and a half times as wide as its patch at half its height, and at
// least over a cell; the map adds up to the sum of the values. A narrower bell would let single
// patches stand out: what many neighbours agree on is the better guide to the place
// (docs/how-to/explain.md). Requires places.
Matrix<double> place_map(const ItemVectors& vectors, std::span<const double> values, int side);

}  // namespace muster
