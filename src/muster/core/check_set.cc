#include "muster/core/check_set.h"

#include <bit>
#include <cmath>

namespace muster {
namespace {

// Without branches, for speed: as whole numbers, the bits of larger magnitudes are larger, and
// those of infinity and nan are the largest.
bool all_allowed(std::span<const float> values) {
  uint32_t largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fffffffu);
  return largest <= std::bit_cast<uint32_t>(kLargestComponent);
}

void check_values(const VectorSet& set, const std::string& name) {
  if (all_allowed(set.vectors.values())) return;
  for (size_t r = 0; r < set.size(); ++r)
    for (const float value : set.vectors.row(r)) {
      if (!std::isfinite(value))
        throw data_error("{}: vector {} holds {}; only finite numbers are allowed", name, r, value);
      if (std::abs(value) > kLargestComponent)
        throw data_error(
            "{}: vector {} holds {}; allowed are numbers up to {:g}: divide all of "
            "your vectors by one number",
            name, r, value, kLargestComponent);
    }
}

void check_weights(const VectorSet& set, const std::string& name) {
  if (!set.has_weights()) return;
  if (set.weights.size() != set.size())
    throw data_error("{}: it has {} weights for {} vectors; give one per vector", name,
                     set.weights.size(), set.size());
  double sum = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    if (!(set.weights[i] >= 0 && set.weights[i] <= kLargestWeight))
      throw data_error("{}: the weight of vector {} is {}; allowed are 0 to {:g}", name, i,
                       set.weights[i], kLargestWeight);
    sum += set.weights[i];
  }
  if (!(sum > 0)) throw data_error("{}: all weights are 0; one or more must be above", name);
}

}  // namespace

void check_set(const VectorSet& set, const std::string& name) {
  check_values(set, name);
  check_weights(set, name);
  if (set.places.cols() == 0) return;
  if (set.places.rows() != set.size() || !set.has_places())
    throw data_error("{}: its places are {} x {}, expected {} x 3", name, set.places.rows(),
                     set.places.cols(), set.size());
  for (size_t r = 0; r < set.size(); ++r)
    for (const float value : set.places.row(r))
      if (!(value >= 0 && value <= 1))
        throw data_error("{}: place {} holds {}; places lie in [0, 1] of the picture", name, r,
                         value);
}

}  // namespace muster
