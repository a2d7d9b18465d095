// Where each of many sets begins in an array that holds them below each other.
#pragma once

#include <algorithm>

#include "muster/core/tensors.h"

namespace muster {

// The array "starts": one entry per set and, at the end, the number of rows in all. Begins with 0
// and never falls, so that every set lies inside of the rows; else a data error.
inline std::vector<size_t> load_starts(const TensorReader& in, size_t num_rows) {
  const auto stored = in.values<int64_t>("starts");
  in.require(!stored.empty() && stored.front() == 0 &&
                 stored.back() == static_cast<int64_t>(num_rows) && std::ranges::is_sorted(stored),
             "bounds of the stored sets");
  return {stored.begin(), stored.end()};
}

}  // namespace muster
