// What several splits say together.
#pragma once

#include <span>

namespace muster {

struct Spread {
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); 0 for one value
  double low = 0;        // 95 % Student interval of the mean; equal to it for one value
  double high = 0;
};

// NaN throughout for no values.
Spread spread_of(std::span<const double> values);
// Of a_i - b_i: two methods on the same splits. Requires equal sizes.
Spread paired_difference(std::span<const double> a, std::span<const double> b);
// The point that Student's t with `degrees` degrees of freedom exceeds with 2.5 %. Requires
// degrees >= 1. Exact to 1e-9.
double student_t_975(int degrees);

}  // namespace muster
