// What vocabularies of words and of Gaussians share when each category gets its own (GEN 3.3).
#pragma once

#include <string_view>
#include <vector>

#include "muster/core/options.h"
#include "muster/core/vector_set.h"

namespace muster {

inline void per_category_field(Fields& f, bool& per_category) {
  f("per_category", per_category, "learn from each category on its own, then join")
      .paper("GEN 3.3");
}

// The vectors of each category that has any. A sample without labels is a usage error in the name
// of `stage`.
std::vector<Matrix<float>> vectors_by_category(std::string_view stage, const Sample& sample);

// How much of `total` part i of `parts` gets: even shares, at least one each.
int even_share(int total, size_t i, size_t parts);

}  // namespace muster
