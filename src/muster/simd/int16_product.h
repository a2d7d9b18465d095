// Products of matrices of 16-bit integers: twice as many multiplications per instruction as in
// single precision. By SIMD with run-time dispatch, on the calling thread; exact.
#pragma once

#include <cstdint>
#include <span>

#include "muster/core/matrix.h"

namespace muster {

// The right-hand side of a product, one factor per row, in the order in which the CPU reads it:
// pairs of columns, and within a pair all factors. The number of factors is rounded up to
// kMultiple.
class Int16Factors {
 public:
  static constexpr size_t kMultiple = 32;

  Int16Factors() = default;
  // Requires an even number of columns.
  explicit Int16Factors(MatrixView<const int16_t> rows);

  size_t num_columns() const { return columns_; }
  size_t padded() const { return padded_; }
  const int16_t* pairs() const { return values_.data(); }

 private:
  size_t columns_ = 0, padded_ = 0;
  AlignedVector<int16_t> values_;
};

// out(i, m) = scales[m] * sum_t rows(i, t) factors(m, t) + bias[m]. `scales`, `bias` and the rows
// of `out` have factors.padded() values; those past the last factor are bias only. Requires sums
// that fit in 32 bits; sums on the way may not.
void int16_products(MatrixView<const int16_t> rows, const Int16Factors& factors,
                    std::span<const float> scales, std::span<const float> bias,
                    MatrixView<float> out);

}  // namespace muster
