#include "muster/simd/int16_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/int16_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
// At most Int16Factors::kMultiple / 2 lanes.
using Sums = hn::CappedTag<int32_t, 16>;
using Pairs = hn::Repartition<int16_t, Sums>;
using Floats = hn::RebindToFloat<Sums>;
using Sum = hn::Vec<Sums>;
using Pair = hn::Vec<Pairs>;

// One pair of columns of one row, for all factors.
HWY_INLINE Pair pair_of_row(const int16_t* at) {
  int32_t both;
  hwy::CopyBytes<sizeof(both)>(at, &both);
  return hn::BitCast(Pairs(), hn::Set(Sums(), both));
}

// The CPU may sum in two parts.
HWY_INLINE void add_pair(Pair a, Pair b, Sum& sum, Sum& rest) {
  sum = hn::ReorderWidenMulAccumulate(Sums(), a, b, sum, rest);
}

HWY_INLINE void store(Sum sum, Sum rest, const float* scales, const float* bias, float* to) {
  const auto value = hn::ConvertTo(Floats(), hn::RearrangeToOddPlusEven(sum, rest));
  hn::StoreU(hn::MulAdd(value, hn::LoadU(Floats(), scales), hn::LoadU(Floats(), bias)), Floats(),
             to);
}

// Four rows with two vectors of factors: as many sums as fit in registers.
void four_rows(const int16_t* const* rows, const int16_t* factors, size_t stride, size_t columns,
               const float* scales, const float* bias, float* const* out) {
  const size_t lanes = hn::Lanes(Sums());
  const Sum zero = hn::Zero(Sums());
  Sum a0 = zero, a1 = zero, b0 = zero, b1 = zero, c0 = zero, c1 = zero, e0 = zero, e1 = zero;
  Sum ra0 = zero, ra1 = zero, rb0 = zero, rb1 = zero, rc0 = zero, rc1 = zero, re0 = zero,
      re1 = zero;
  for (size_t t = 0; t < columns; t += 2, factors += stride) {
    const Pair first = hn::LoadU(Pairs(), factors);
    const Pair second = hn::LoadU(Pairs(), factors + 2 * lanes);
    const Pair a = pair_of_row(rows[0] + t), b = pair_of_row(rows[1] + t);
    const Pair c = pair_of_row(rows[2] + t), e = pair_of_row(rows[3] + t);
    add_pair(a, first, a0, ra0);
    add_pair(a, second, a1, ra1);
    add_pair(b, first, b0, rb0);
    add_pair(b, second, b1, rb1);
    add_pair(c, first, c0, rc0);
    add_pair(c, second, c1, rc1);
    add_pair(e, first, e0, re0);
    add_pair(e, second, e1, re1);
  }
  store(a0, ra0, scales, bias, out[0]);
  store(a1, ra1, scales + lanes, bias + lanes, out[0] + lanes);
  store(b0, rb0, scales, bias, out[1]);
  store(b1, rb1, scales + lanes, bias + lanes, out[1] + lanes);
  store(c0, rc0, scales, bias, out[2]);
  store(c1, rc1, scales + lanes, bias + lanes, out[2] + lanes);
  store(e0, re0, scales, bias, out[3]);
  store(e1, re1, scales + lanes, bias + lanes, out[3] + lanes);
}

void products_simd(MatrixView<const int16_t> rows, const Int16Factors& factors, const float* scales,
                   const float* bias, MatrixView<float> out) {
  const size_t at_once = 2 * hn::Lanes(Sums());
  for (size_t m = 0; m < factors.padded(); m += at_once)
    for (size_t i = 0; i < rows.rows; i += 4) {
      const int16_t* from[4];
      float* to[4];
      for (size_t r = 0; r < 4; ++r) {  // past the end the last row is computed again
        const size_t row = std::min(i + r, rows.rows - 1);
        from[r] = rows.row(row).data();
        to[r] = out.row(row).data() + m;
      }
      four_rows(from, factors.pairs() + 2 * m, 2 * factors.padded(), rows.cols, scales + m,
                bias + m, to);
    }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(products_simd);

Int16Factors::Int16Factors(MatrixView<const int16_t> rows)
    : columns_(rows.cols),
      padded_((rows.rows + kMultiple - 1) / kMultiple * kMultiple),
      values_(columns_ * padded_) {
  MUSTER_CHECK(columns_ % 2 == 0);
  for (size_t m = 0; m < rows.rows; ++m)
    for (size_t t = 0; t < columns_; ++t) values_[(t / 2 * padded_ + m) * 2 + t % 2] = rows(m, t);
}

void int16_products(MatrixView<const int16_t> rows, const Int16Factors& factors,
                    std::span<const float> scales, std::span<const float> bias,
                    MatrixView<float> out) {
  MUSTER_CHECK(rows.cols == factors.num_columns() && out.rows == rows.rows &&
               out.cols == factors.padded() && scales.size() == factors.padded() &&
               bias.size() == factors.padded());
  HWY_DYNAMIC_DISPATCH(products_simd)(rows, factors, scales.data(), bias.data(), out);
}

}  // namespace muster
#endif  // HWY_ONCE
