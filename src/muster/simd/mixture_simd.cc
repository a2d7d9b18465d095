#include "muster/simd/mixture_simd.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/mixture_simd.cc"
// foreach_target.h comes before all else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// The values past the last full vector, in a vector of their own whose other lanes hold `fill`.
struct Padded {
  HWY_ALIGN float values[hn::MaxLanes(Tag())];

  Padded(const float* from, size_t count, float fill) {
    std::fill(values, values + hn::Lanes(Tag()), fill);
    std::copy(from, from + count, values);
  }
  Vec load() const { return hn::Load(Tag(), values); }
};

// exp(x) for x <= 0, with an error of about 2e-7 of it, and 0 for x below -87. Half the
// cost of Highway's, which takes all x and is exact to the last place.
HWY_INLINE Vec exp_not_above_1(Vec x) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const auto in_range = hn::Ge(x, hn::Set(d, -87.0f));
  x = hn::IfThenElseZero(in_range, x);
  const Vec whole = hn::Round(hn::Mul(x, hn::Set(d, kLog2E)));
  Vec rest = hn::NegMulAdd(whole, hn::Set(d, kLn2High), x);
  rest = hn::NegMulAdd(whole, hn::Set(d, kLn2Low), rest);
  // Taylor's series: |rest| is at most log(2) / 2.
  Vec value = hn::Set(d, 1.0f / 720);
  for (const float coefficient : {1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f})
    value = hn::MulAdd(value, rest, hn::Set(d, coefficient));
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, whole), hn::Set(di, 127)));
  return hn::IfThenElseZero(in_range, hn::Mul(value, hn::BitCast(d, exponent)));
}

struct Softmax {
  float top, total;  // the largest value, and the sum of exponentials relative to it
};

HWY_INLINE Softmax softmax_row(float* row, const float* bias, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), whole = n / lanes * lanes, rest = n - whole;
  constexpr float kNothing = -3e38f;
  Vec largest = hn::Set(d, kNothing), last = largest;
  for (size_t j = 0; j < whole; j += lanes) {
    const Vec value = hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, bias + j));
    hn::StoreU(value, d, row + j);
    largest = hn::Max(largest, value);
  }
  if (rest > 0) {
    last =
        hn::Add(Padded(row + whole, rest, kNothing).load(), Padded(bias + whole, rest, 0).load());
    largest = hn::Max(largest, last);
  }
  const Vec top = hn::MaxOfLanes(d, largest);
  Vec sums = hn::Zero(d);
  for (size_t j = 0; j < whole; j += lanes) {
    const Vec value = exp_not_above_1(hn::Sub(hn::LoadU(d, row + j), top));
    hn::StoreU(value, d, row + j);
    sums = hn::Add(sums, value);
  }
  if (rest > 0) {
    last = hn::IfThenElseZero(hn::FirstN(d, rest), exp_not_above_1(hn::Sub(last, top)));
    sums = hn::Add(sums, last);
  }
  const float total = hn::GetLane(hn::SumOfLanes(d, sums));
  const Vec factor = hn::Set(d, 1 / total);
  for (size_t j = 0; j < whole; j += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, row + j), factor), d, row + j);
  if (rest > 0) {
    HWY_ALIGN float values[hn::MaxLanes(d)];
    hn::Store(hn::Mul(last, factor), d, values);
    std::copy(values, values + rest, row + whole);
  }
  return {hn::GetLane(top), total};
}

void softmax_simd(MatrixView<float> values, const float* bias, float* log_sums) {
  // Logarithms by themselves: calls in between would hold up the vectors.
  constexpr size_t kRows = 64;
  Softmax rows[kRows];
  for (size_t begin = 0; begin < values.rows; begin += kRows) {
    const size_t count = std::min(kRows, values.rows - begin);
    for (size_t i = 0; i < count; ++i)
      rows[i] = softmax_row(values.row(begin + i).data(), bias, values.cols);
    for (size_t i = 0; i < count; ++i) log_sums[begin + i] = rows[i].top + std::log(rows[i].total);
  }
}

float squared_distance(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec sums = hn::Zero(d);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    const Vec difference = hn::Sub(hn::LoadU(d, a + t), hn::LoadU(d, b + t));
    sums = hn::MulAdd(difference, difference, sums);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; t < n; ++t) total += (a[t] - b[t]) * (a[t] - b[t]);
  return total;
}

void half_distances_simd(ConstMatrixView projected, const float* offsets, MatrixView<float> out) {
  const size_t dim = projected.cols / out.cols;
  for (size_t i = 0; i < out.rows; ++i)
    for (size_t g = 0; g < out.cols; ++g)
      out(i, g) =
          -0.5f * squared_distance(projected.row(i).data() + g * dim, offsets + g * dim, dim);
}

void centre_and_square_simd(ConstMatrixView vectors, const float* HWY_RESTRICT origin,
                            MatrixView<float> out) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), n = vectors.cols;
  for (size_t i = 0; i < vectors.rows; ++i) {
    const float* HWY_RESTRICT from = vectors.row(i).data();
    float* HWY_RESTRICT to = out.row(i).data();
    size_t t = 0;
    for (; t + lanes <= n; t += lanes) {
      const Vec value = hn::Sub(hn::LoadU(d, from + t), hn::LoadU(d, origin + t));
      hn::StoreU(value, d, to + t);
      hn::StoreU(hn::Mul(value, value), d, to + n + t);
    }
    for (; t < n; ++t) {
      to[t] = from[t] - origin[t];
      to[n + t] = to[t] * to[t];
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(softmax_simd);
HWY_EXPORT(half_distances_simd);
HWY_EXPORT(centre_and_square_simd);

void softmax_rows(MatrixView<float> log_values, std::span<const float> bias,
                  std::span<float> log_sums) {
  MUSTER_CHECK(log_values.cols == bias.size() && log_values.rows == log_sums.size() &&
               log_values.cols > 0);
  HWY_DYNAMIC_DISPATCH(softmax_simd)(log_values, bias.data(), log_sums.data());
}

void half_squared_distances(ConstMatrixView projected, std::span<const float> offsets,
                            MatrixView<float> out) {
  MUSTER_CHECK(projected.cols == offsets.size() && projected.rows == out.rows &&
               projected.cols % out.cols == 0);
  HWY_DYNAMIC_DISPATCH(half_distances_simd)(projected, offsets.data(), out);
}

void centre_and_square(ConstMatrixView vectors, std::span<const float> origin,
                       MatrixView<float> out) {
  MUSTER_CHECK(vectors.cols == origin.size() && out.rows == vectors.rows &&
               out.cols == 2 * vectors.cols);
  HWY_DYNAMIC_DISPATCH(centre_and_square_simd)(vectors, origin.data(), out);
}

}  // namespace muster
#endif  // HWY_ONCE
