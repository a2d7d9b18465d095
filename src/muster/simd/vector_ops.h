// Products of single rows, by SIMD with run-time dispatch. On the calling thread; the order of the
// sums depends on the CPU's lane width only.
#pragma once

#include <span>

namespace muster {

// sum_i x_i y_i, accumulated in double precision. Requires equal sizes.
double dot(std::span<const float> x, std::span<const float> y);
double dot(std::span<const float> x, std::span<const double> y);
// sum_i (x_i - y_i)^2, in single precision. Equal sizes.
float squared_distance(std::span<const float> x, std::span<const float> y);
// y += a x, with y in double precision so that thousands of updates do not drift. Equal sizes.
void axpy(double a, std::span<const float> x, std::span<double> y);

}  // namespace muster
