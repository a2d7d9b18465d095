// Which vectors are left out together.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/explain/item_vectors.h"

namespace muster {

// One region per vector, by its number; regions are numbered from 0 on, and none is empty.
struct Regions {
  std::vector<uint32_t> of_vector;
  size_t count = 0;
};

// Each vector of a small item is a region of its own. Else cells of a side x side grid over the
// picture or, if there are no places, up to side^2 groups of similar vectors of each feature.
Regions find_regions(const ItemVectors& vectors, int side);

}  // namespace muster
