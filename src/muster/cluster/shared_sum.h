// Sums over all ranks whose bytes do not depend on which rank has which term: terms become whole
// multiples of a quantum, and integers add up to the same in any order. A rank sends each sum once,
// however many terms it has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// About 2^-62 of a bound, and a power of two.
class Quantum {
 public:
  // For terms whose absolute values add up to `bound` at most; that is a run-time failure if it is
  // not finite.
  explicit Quantum(double bound);

  int64_t count(double term) const { return static_cast<int64_t>(term * per_unit_); }
  double value(int64_t counts) const { return static_cast<double>(counts) * unit_; }

 private:
  double unit_, per_unit_;
};

// Each becomes the sum, or the largest, of those of all ranks. Nothing happens if loops are not
// divided here (shared_for.h).
void sum_over_ranks(std::span<int64_t> values);
void largest_over_ranks(std::span<double> values);

// The sum of each row of `terms`, of which every rank has columns of its own, `most_terms` or fewer
// on all of them together.
std::vector<double> totals_over_ranks(const Matrix<double>& terms, size_t most_terms);

}  // namespace muster
