#include "muster/simd/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/elementwise.cc"
// foreach_target.h comes before all else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "muster/simd/cosine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// values[i] <- function(values[i]), lanes at a time; function also gets the index of its first lane
// and how many lanes count. The last call works on a padded copy.
template <class Function>
void transform(float* values, size_t n, const Function& function) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(function(hn::LoadU(d, values + i), i, lanes), d, values + i);
  if (i == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  std::copy(values + i, values + n, rest);
  hn::Store(function(hn::Load(d, rest), i, n - i), d, rest);
  std::copy(rest, rest + (n - i), values + i);
}

void cosines_simd(float* values, size_t n) {
  const Tag d;
  transform(values, n, [&](Vec v, size_t, size_t) {
    return cos_turns(d, hn::Mul(v, hn::Set(d, kTurnsPerRadian)));
  });
}

void roots_simd(float* values, size_t n, float scale) {
  const Tag d;
  transform(values, n, [&](Vec v, size_t, size_t) {
    return hn::CopySign(hn::Sqrt(hn::Mul(hn::Abs(v), hn::Set(d, scale))), v);
  });
}

void exp_simd(float* values, size_t n, float scale) {
  const Tag d;
  transform(values, n,
            [&](Vec v, size_t, size_t) { return hn::Exp(d, hn::Mul(v, hn::Set(d, scale))); });
}

void gaussian_row(float* products, const float* half_b, size_t n, float half_a, float gamma) {
  const Tag d;
  const Vec a = hn::Set(d, half_a), factor = hn::Set(d, -2 * gamma);
  transform(products, n, [&](Vec product, size_t i, size_t count) {
    HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
    Vec b;
    if (count == hn::Lanes(d)) {
      b = hn::LoadU(d, half_b + i);
    } else {
      std::copy(half_b + i, half_b + i + count, rest);
      b = hn::Load(d, rest);
    }
    const Vec half_distance = hn::Max(hn::Zero(d), hn::Sub(hn::Add(a, b), product));
    return hn::Exp(d, hn::Mul(factor, half_distance));
  });
}

void gaussian_simd(MatrixView<float> products, const float* half_a, const float* half_b,
                   float gamma) {
  for (size_t i = 0; i < products.rows; ++i)
    gaussian_row(products.row(i).data(), half_b, products.cols, half_a[i], gamma);
}

// Columns outermost: the running sums stay in registers while the rows go by.
void add_cosines_simd(ConstMatrixView angles, const float* phases, float* sum) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), n = angles.cols;
  const Vec turns = hn::Set(d, kTurnsPerRadian);
  size_t t = 0;
  for (; t + 2 * lanes <= n; t += 2 * lanes) {
    const Vec phase0 = hn::Mul(hn::LoadU(d, phases + t), turns);
    const Vec phase1 = hn::Mul(hn::LoadU(d, phases + t + lanes), turns);
    Vec sum0 = hn::Zero(d), sum1 = hn::Zero(d);
    const float* row = angles.data + t;
    for (size_t i = 0; i < angles.rows; ++i, row += angles.stride) {
      sum0 = hn::Add(sum0, cos_turns(d, hn::MulAdd(hn::LoadU(d, row), turns, phase0)));
      sum1 = hn::Add(sum1, cos_turns(d, hn::MulAdd(hn::LoadU(d, row + lanes), turns, phase1)));
    }
    hn::StoreU(hn::Add(hn::LoadU(d, sum + t), sum0), d, sum + t);
    hn::StoreU(hn::Add(hn::LoadU(d, sum + t + lanes), sum1), d, sum + t + lanes);
  }
  for (; t < n; ++t) {
    float total = 0;
    for (size_t i = 0; i < angles.rows; ++i) {
      const Vec angle = hn::Set(d, (angles(i, t) + phases[t]) * kTurnsPerRadian);
      total += hn::GetLane(cos_turns(d, angle));
    }
    sum[t] += total;
  }
}

void add_rows_simd(ConstMatrixView values, float* sum) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t t = 0;
  for (; t + lanes <= values.cols; t += lanes) {
    Vec total = hn::Zero(d);
    for (size_t i = 0; i < values.rows; ++i)
      total = hn::Add(total, hn::LoadU(d, values.data + i * values.stride + t));
    hn::StoreU(hn::Add(hn::LoadU(d, sum + t), total), d, sum + t);
  }
  for (; t < values.cols; ++t)
    for (size_t i = 0; i < values.rows; ++i) sum[t] += values(i, t);
}

double sum_simd(ConstMatrixView values) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  double total = 0;
  for (size_t i = 0; i < values.rows; ++i) {
    const float* row = values.row(i).data();
    Vec lane_sums = hn::Zero(d);
    size_t t = 0;
    for (; t + lanes <= values.cols; t += lanes)
      lane_sums = hn::Add(lane_sums, hn::LoadU(d, row + t));
    total += hn::GetLane(hn::SumOfLanes(d, lane_sums));
    for (; t < values.cols; ++t) total += row[t];
  }
  return total;
}

using Wide = hn::ScalableTag<double>;

HWY_INLINE hn::Vec<Wide> power_of(hn::Vec<Wide> base, int power) {
  hn::Vec<Wide> out = hn::Set(Wide(), 1);
  for (; power > 0; power /= 2) {
    if (power % 2 == 1) out = hn::Mul(out, base);
    base = hn::Mul(base, base);
  }
  return out;
}

double sum_powers_simd(ConstMatrixView values, int power) {
  const Wide d;
  const hn::Rebind<float, Wide> narrow;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Wide> sum = hn::Zero(d);
  for (size_t r = 0; r < values.rows; ++r) {
    const float* row = values.row(r).data();
    size_t i = 0;
    for (; i + lanes <= values.cols; i += lanes)
      sum = hn::Add(sum, power_of(hn::PromoteTo(d, hn::LoadU(narrow, row + i)), power));
    if (i == values.cols) continue;
    HWY_ALIGN float rest[hn::MaxLanes(narrow)] = {};
    std::copy(row + i, row + values.cols, rest);
    sum = hn::Add(sum, power_of(hn::PromoteTo(d, hn::Load(narrow, rest)), power));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void raise_maxima_simd(ConstMatrixView values, float* row_max, float* col_max) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < values.rows; ++r) {
    const float* row = values.row(r).data();
    Vec best = hn::Set(d, row_max[r]);
    size_t i = 0;
    for (; i + lanes <= values.cols; i += lanes) {
      const Vec v = hn::LoadU(d, row + i);
      best = hn::Max(best, v);
      hn::StoreU(hn::Max(hn::LoadU(d, col_max + i), v), d, col_max + i);
    }
    row_max[r] = hn::GetLane(hn::MaxOfLanes(d, best));
    for (; i < values.cols; ++i) {
      row_max[r] = std::max(row_max[r], row[i]);
      col_max[i] = std::max(col_max[i], row[i]);
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(exp_simd);
HWY_EXPORT(cosines_simd);
HWY_EXPORT(gaussian_simd);
HWY_EXPORT(add_cosines_simd);
HWY_EXPORT(add_rows_simd);
HWY_EXPORT(sum_simd);
HWY_EXPORT(roots_simd);
HWY_EXPORT(sum_powers_simd);
HWY_EXPORT(raise_maxima_simd);

void signed_roots(std::span<float> values, float scale) {
  HWY_DYNAMIC_DISPATCH(roots_simd)(values.data(), values.size(), scale);
}

void exp_scaled(std::span<float> values, float scale) {
  HWY_DYNAMIC_DISPATCH(exp_simd)(values.data(), values.size(), scale);
}

void cosines(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(cosines_simd)(values.data(), values.size());
}

void gaussian_from_products(MatrixView<float> products, std::span<const float> half_a,
                            std::span<const float> half_b, float gamma) {
  MUSTER_CHECK(products.rows == half_a.size() && products.cols == half_b.size());
  HWY_DYNAMIC_DISPATCH(gaussian_simd)(products, half_a.data(), half_b.data(), gamma);
}

void add_cosines_of_rows(ConstMatrixView angles, std::span<const float> phases,
                         std::span<float> sum) {
  MUSTER_CHECK(angles.cols == phases.size() && angles.cols == sum.size());
  HWY_DYNAMIC_DISPATCH(add_cosines_simd)(angles, phases.data(), sum.data());
}

void add_rows(ConstMatrixView values, std::span<float> sum) {
  MUSTER_CHECK(values.cols == sum.size());
  HWY_DYNAMIC_DISPATCH(add_rows_simd)(values, sum.data());
}

double sum_of_values(ConstMatrixView values) { return HWY_DYNAMIC_DISPATCH(sum_simd)(values); }

double sum_of_powers(ConstMatrixView values, int power) {
  MUSTER_CHECK(power >= 1);
  return HWY_DYNAMIC_DISPATCH(sum_powers_simd)(values, power);
}

void raise_to_maxima(ConstMatrixView values, std::span<float> row_max, std::span<float> col_max) {
  MUSTER_CHECK(values.rows == row_max.size() && values.cols == col_max.size());
  HWY_DYNAMIC_DISPATCH(raise_maxima_simd)(values, row_max.data(), col_max.data());
}

}  // namespace muster
#endif  // HWY_ONCE
