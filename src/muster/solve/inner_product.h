// The inner product of two vectors in double precision, as solvers take it.
#pragma once

#include <span>

namespace muster {

// Requires equal sizes.
inline double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace muster
