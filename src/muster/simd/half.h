// IEEE 754 half precision: local features at rest take half the space of float.
// float -> half rounds to the nearest, ties to even; |x| >= 65520 becomes infinity, NaN stays NaN
// (quiet, payload not kept). half -> float is exact. The same bits on every CPU, whether or not it
// has conversion instructions. Thread-safe; memory-bound.
#pragma once

#include <cstdint>
#include <span>

namespace muster {

inline constexpr float kMaxHalf = 65504.0f;

// Requires halves.size() == floats.size().
void floats_to_halves(std::span<const float> floats, std::span<uint16_t> halves);
void halves_to_floats(std::span<const uint16_t> halves, std::span<float> floats);

}  // namespace muster
