// Reductions that need no learning: l2 (x / |x|), root (RootSIFT: sign(x) sqrt(|x| / |x|_1)) and
// places (appends weight * (x, y) to every vector, as PMK 5 does). Linear in the size of the set.
// A zero vector stays zero.
#pragma once

#include <memory>

#include "muster/core/options.h"
#include "muster/reduce/reducer.h"

namespace muster {

struct PlacesOptions {
  double weight = 1;
  bool scale = false;

  void fields(Fields& f) {
    f("weight", weight, "factor of the appended coordinates, which run from 0 to 1")
        .range(0, 1e6)
        .paper("PMK 5");
    f("scale", scale, "append the feature's scale as a third coordinate");
  }
};

std::unique_ptr<Reducer> make_l2(size_t input_dim);
std::unique_ptr<Reducer> make_root(size_t input_dim);
// Sets without places are a data error.
std::unique_ptr<Reducer> make_places(const PlacesOptions& options, size_t input_dim);

}  // namespace muster
