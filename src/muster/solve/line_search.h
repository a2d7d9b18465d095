// Line searches of the Newton solvers.
#pragma once

namespace muster {

// The t in (0, 1) where a derivative that rises crosses zero, by bisection; a little beyond it
// rather than short of it.
template <class Derivative>
double bisect_rising(const Derivative& derivative) {
  double low = 0, high = 1;
  for (int k = 0; k < 12; ++k) {
    const double middle = 0.5 * (low + high);
    (derivative(middle) < 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace muster
