// Evidence by place: the vectors' values, each spread over the patch that the vector describes.
#pragma once

#include "muster/explain/item_vectors.h"

namespace muster {

// A grid of square cells over the picture whose longer side has `side` of them. Each value is
// spread over its patch by a bell that ends at the patch's edges, and at least over a cell; the map
// adds up to the sum of the values. Requires places.
Matrix<double> place_map(const ItemVectors& vectors, std::span<const double> values, int side);

}  // namespace muster
