// What every set must be, wherever it comes from: files, shards, caches, pictures or memory.
#pragma once

#include <string>

#include "muster/core/vector_set.h"

namespace muster {

// Larger components would overflow when they are squared and summed in single precision.
inline constexpr float kLargestComponent = 1e15f;
inline constexpr float kLargestWeight = 1e6f;

// Vectors are finite and at most kLargestComponent, places lie in [0, 1], one per vector if there
// are any. Anything else is a data error that names the set.
void check_set(const VectorSet& set, const std::string& name);

}  // namespace muster
