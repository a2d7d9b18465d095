// Distances in double precision.
#pragma once

#include <span>

namespace muster::oracle {

inline double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t t = 0; t < a.size(); ++t) {
    const double difference = static_cast<double>(a[t]) - static_cast<double>(b[t]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace muster::oracle
