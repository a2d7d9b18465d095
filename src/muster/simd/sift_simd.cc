#include "muster/simd/sift_simd.h"

#include "muster/core/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/sift_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Row o has a 1 at o; the last row is the first again, so that o + 1 needs no wrapping.
alignas(64) constexpr float kUnit[kOrientations + 1][kOrientations] = {
    {1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0},
    {0, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0},
    {0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 0, 0, 0}};

// The orientations of one pixel or cell: one vector on AVX2 and above, several on narrower targets.
using Tag8 = hn::CappedTag<float, kOrientations>;
using Vec8 = hn::Vec<Tag8>;

// atan(t) in units of 45 degrees for t in [0, 1]: an odd minimax polynomial, error below 4e-7.
template <class D, class V>
HWY_INLINE V octant_fraction(D d, V t) {
  const V u = hn::Mul(t, t);
  V p = hn::Set(d, 0.008673030f);
  p = hn::MulAdd(p, u, hn::Set(d, -0.042786177f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.101379961f));
  p = hn::MulAdd(p, u, hn::Set(d, -0.168492123f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.252200931f));
  p = hn::MulAdd(p, u, hn::Set(d, -0.424209893f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.273234606f));
  return hn::Mul(p, t);
}

// Pixels between the two passes over a row: the first stores by lanes, the second reads pixel by
// pixel, and by then the stores are done.
constexpr size_t kChunk = 128;

struct PolarChunk {
  alignas(64) float low[kChunk], high[kChunk];  // magnitude for orientations bin and bin + 1
  alignas(64) int32_t bins[kChunk];
};

// Gradients of `count` pixels, rounded up to whole vectors.
HWY_INLINE void polar(const float* above, const float* row, const float* below, size_t count,
                      PolarChunk& out) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto half = hn::Set(d, 0.5f), zero = hn::Zero(d);
  for (size_t x = 0; x < count; x += hn::Lanes(d)) {
    const auto gx = hn::Mul(half, hn::Sub(hn::LoadU(d, row + x + 1), hn::LoadU(d, row + x - 1)));
    const auto gy = hn::Mul(half, hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)));
    const auto ax = hn::Abs(gx), ay = hn::Abs(gy);
    const auto t = hn::Div(hn::Min(ax, ay), hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30f)));
    // Unfold the octant: the angle in units of 45 degrees, in [0, 8].
    auto angle = octant_fraction(d, t);
    angle = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, 2.0f), angle), angle);
    angle = hn::IfThenElse(hn::Lt(gx, zero), hn::Sub(hn::Set(d, 4.0f), angle), angle);
    angle = hn::IfThenElse(hn::Lt(gy, zero), hn::Sub(hn::Set(d, 8.0f), angle), angle);
    const auto bin = hn::ConvertTo(di, angle);
    const auto magnitude = hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy)));
    const auto upper = hn::Mul(magnitude, hn::Sub(angle, hn::ConvertTo(d, bin)));
    hn::Store(upper, d, out.high + x);
    hn::Store(hn::Sub(magnitude, upper), d, out.low + x);
    hn::Store(hn::And(bin, hn::Set(di, 7)), di, out.bins + x);
  }
}

void orientation_row_simd(const float* above, const float* row, const float* below, size_t width,
                          float* planes) {
  const Tag8 d;
  PolarChunk chunk;
  for (size_t x = 0; x < width; x += kChunk, planes += kChunk * kOrientations) {
    const size_t count = HWY_MIN(kChunk, width - x);
    polar(above + x, row + x, below + x, count, chunk);
    for (size_t i = 0; i < count; ++i) {
      const float* unit = kUnit[chunk.bins[i]];
      for (size_t o = 0; o < kOrientations; o += hn::Lanes(d)) {
        const Vec8 low = hn::Mul(hn::Set(d, chunk.low[i]), hn::Load(d, unit + o));
        const Vec8 both =
            hn::MulAdd(hn::Set(d, chunk.high[i]), hn::Load(d, unit + kOrientations + o), low);
        hn::Store(both, d, planes + kOrientations * i + o);
      }
    }
  }
}

void sum_windows_simd(const float* planes, const int32_t* first, size_t n, const float* weights,
                      size_t taps, float* out) {
  const Tag8 d;
  size_t i = 0;
  // Four windows at a time share each weight and hide the latency of the sums.
  for (; i + 4 <= n; i += 4) {
    for (size_t o = 0; o < kOrientations; o += hn::Lanes(d)) {
      const float* in[4];
      Vec8 sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
      for (size_t j = 0; j < 4; ++j)
        in[j] = planes + static_cast<ptrdiff_t>(kOrientations) * first[i + j] + o;
      for (size_t t = 0; t < taps; ++t) {
        const Vec8 w = hn::Set(d, weights[t]);
        sum0 = hn::MulAdd(w, hn::Load(d, in[0] + kOrientations * t), sum0);
        sum1 = hn::MulAdd(w, hn::Load(d, in[1] + kOrientations * t), sum1);
        sum2 = hn::MulAdd(w, hn::Load(d, in[2] + kOrientations * t), sum2);
        sum3 = hn::MulAdd(w, hn::Load(d, in[3] + kOrientations * t), sum3);
      }
      hn::Store(sum0, d, out + kOrientations * i + o);
      hn::Store(sum1, d, out + kOrientations * (i + 1) + o);
      hn::Store(sum2, d, out + kOrientations * (i + 2) + o);
      hn::Store(sum3, d, out + kOrientations * (i + 3) + o);
    }
  }
  for (; i < n; ++i) {
    for (size_t o = 0; o < kOrientations; o += hn::Lanes(d)) {
      const float* in = planes + static_cast<ptrdiff_t>(kOrientations) * first[i] + o;
      Vec8 sum = hn::Zero(d);
      for (size_t t = 0; t < taps; ++t)
        sum = hn::MulAdd(hn::Set(d, weights[t]), hn::Load(d, in + kOrientations * t), sum);
      hn::Store(sum, d, out + kOrientations * i + o);
    }
  }
}

void add_scaled_simd(float weight, const float* in, size_t n, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto w = hn::Set(d, weight);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(w, hn::LoadU(d, in + i), hn::LoadU(d, out + i)), d, out + i);
  for (; i < n; ++i) out[i] += weight * in[i];
}

void gather_simd(const float* const* cell_rows, const uint32_t* columns, size_t patches,
                 const SiftNorm& norm, float* out) {
  const Tag8 d;
  const Vec8 clip = hn::Set(d, norm.clip);
  for (size_t p = 0; p < patches; ++p, columns += kSiftCells, out += kSiftDim) {
    Vec8 sum0 = hn::Zero(d), sum1 = sum0;
    for (size_t r = 0; r < kSiftCells; ++r) {
      for (size_t c = 0; c < kSiftCells; ++c) {
        const float* cell = cell_rows[r] + kOrientations * columns[c];
        const Vec8 weight = hn::Set(d, norm.cell_weights[kSiftCells * r + c]);
        for (size_t o = 0; o < kOrientations; o += hn::Lanes(d)) {
          const Vec8 v = hn::Mul(weight, hn::Load(d, cell + o));
          hn::Store(v, d, out + kOrientations * (kSiftCells * r + c) + o);
          Vec8& sum = c % 2 == 0 ? sum0 : sum1;
          sum = hn::MulAdd(v, v, sum);
        }
      }
    }
    const float length = hn::GetLane(hn::Sqrt(hn::SumOfLanes(d, hn::Add(sum0, sum1))));
    if (!(length > norm.threshold)) {
      for (size_t i = 0; i < kSiftDim; ++i) out[i] = 0;
      continue;
    }
    const Vec8 scale = hn::Set(d, 1 / length);
    sum0 = sum1 = hn::Zero(d);
    for (size_t i = 0; i < kSiftDim; i += hn::Lanes(d)) {
      const Vec8 v = hn::Min(clip, hn::Mul(scale, hn::Load(d, out + i)));
      hn::Store(v, d, out + i);
      Vec8& sum = (i / hn::Lanes(d)) % 2 == 0 ? sum0 : sum1;
      sum = hn::MulAdd(v, v, sum);
    }
    const Vec8 again = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::SumOfLanes(d, hn::Add(sum0, sum1))));
    for (size_t i = 0; i < kSiftDim; i += hn::Lanes(d))
      hn::Store(hn::Mul(again, hn::Load(d, out + i)), d, out + i);
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(orientation_row_simd);
HWY_EXPORT(sum_windows_simd);
HWY_EXPORT(add_scaled_simd);
HWY_EXPORT(gather_simd);

void sift_orientation_row(const float* above, const float* row, const float* below, size_t width,
                          float* planes) {
  HWY_DYNAMIC_DISPATCH(orientation_row_simd)(above, row, below, width, planes);
}

void sift_sum_windows(const float* planes, std::span<const int32_t> first,
                      std::span<const float> weights, float* out) {
  HWY_DYNAMIC_DISPATCH(sum_windows_simd)
  (planes, first.data(), first.size(), weights.data(), weights.size(), out);
}

void sift_add_scaled(float weight, const float* in, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(add_scaled_simd)(weight, in, n, out);
}

void sift_gather(const float* const cell_rows[kSiftCells], std::span<const uint32_t> columns,
                 const SiftNorm& norm, float* out) {
  MUSTER_CHECK(columns.size() % kSiftCells == 0);
  HWY_DYNAMIC_DISPATCH(gather_simd)
  (cell_rows, columns.data(), columns.size() / kSiftCells, norm, out);
}

}  // namespace muster
#endif  // HWY_ONCE
