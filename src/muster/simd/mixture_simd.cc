#include "muster/simd/mixture_simd.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/mixture_simd.cc"
// foreach_target.h comes before all else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
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

float softmax_row(float* row, const float* bias, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), whole = n / lanes * lanes, rest = n - whole;
  constexpr float kNothing = -3e38f;
  const Padded last_bias(bias + whole, rest, 0);
  Vec largest = hn::Set(d, kNothing);
  for (size_t j = 0; j < whole; j += lanes) {
    const Vec value = hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, bias + j));
    hn::StoreU(value, d, row + j);
    largest = hn::Max(largest, value);
  }
  Padded last(row + whole, rest, kNothing);
  if (rest > 0) {
    const Vec value = hn::Add(last.load(), last_bias.load());
    hn::Store(value, d, last.values);
    largest = hn::Max(largest, value);
  }
  const Vec top = hn::MaxOfLanes(d, largest);
  Vec sums = hn::Zero(d);
  for (size_t j = 0; j < whole; j += lanes) {
    const Vec value = hn::Exp(d, hn::Sub(hn::LoadU(d, row + j), top));
    hn::StoreU(value, d, row + j);
    sums = hn::Add(sums, value);
  }
  Vec last_exp = hn::Zero(d);
  if (rest > 0) {
    last_exp = hn::IfThenElseZero(hn::FirstN(d, rest), hn::Exp(d, hn::Sub(last.load(), top)));
    sums = hn::Add(sums, last_exp);
  }
  const Vec total = hn::SumOfLanes(d, sums);
  const Vec factor = hn::Div(hn::Set(d, 1), total);
  for (size_t j = 0; j < whole; j += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, row + j), factor), d, row + j);
  if (rest > 0) {
    hn::Store(hn::Mul(last_exp, factor), d, last.values);
    std::copy(last.values, last.values + rest, row + whole);
  }
  return hn::GetLane(top) + std::log(hn::GetLane(total));
}

void softmax_simd(MatrixView<float> values, const float* bias, float* log_sums) {
  for (size_t i = 0; i < values.rows; ++i)
    log_sums[i] = softmax_row(values.row(i).data(), bias, values.cols);
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
