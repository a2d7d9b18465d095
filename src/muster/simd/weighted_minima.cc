#include "muster/simd/weighted_minima.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/weighted_minima.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "muster/simd/pair_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 6 rows of this many values are 24 KiB: they stay in the first-level cache.
constexpr size_t kDepth = 512;

// kRowsAtOnce rows of a against two of b: the sums live in registers.
void block(const double* const* a, const double* b0, const double* b1, const double* weights,
           size_t n, double* out0, double* out1) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums0[kRowsAtOnce], sums1[kRowsAtOnce];
  for (size_t r = 0; r < kRowsAtOnce; ++r) sums0[r] = sums1[r] = hn::Zero(d);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    const auto w = hn::LoadU(d, weights + t), v0 = hn::LoadU(d, b0 + t), v1 = hn::LoadU(d, b1 + t);
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      const auto v = hn::LoadU(d, a[r] + t);
      sums0[r] = hn::MulAdd(w, hn::Min(v, v0), sums0[r]);
      sums1[r] = hn::MulAdd(w, hn::Min(v, v1), sums1[r]);
    }
  }
  for (size_t r = 0; r < kRowsAtOnce; ++r) {
    double rest0 = 0, rest1 = 0;
    for (size_t s = t; s < n; ++s) {
      rest0 += weights[s] * std::min(a[r][s], b0[s]);
      rest1 += weights[s] * std::min(a[r][s], b1[s]);
    }
    out0[r] = hn::GetLane(hn::SumOfLanes(d, sums0[r])) + rest0;
    out1[r] = hn::GetLane(hn::SumOfLanes(d, sums1[r])) + rest1;
  }
}

void weighted_minima_simd(MatrixView<const double> a, MatrixView<const double> b,
                          const double* weights, MatrixView<double> out) {
  add_pair_blocks(a, b, kDepth, out,
                  [&](const double* const* a_rows, const double* b0, const double* b1, size_t begin,
                      size_t n, double* sums0, double* sums1)
                      HWY_ATTR { block(a_rows, b0, b1, weights + begin, n, sums0, sums1); });
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(weighted_minima_simd);

void add_weighted_minima(MatrixView<const double> a, MatrixView<const double> b,
                         std::span<const double> weights, MatrixView<double> out) {
  MUSTER_CHECK(a.cols == b.cols && a.cols == weights.size() && out.rows == a.rows &&
               out.cols == b.rows);
  HWY_DYNAMIC_DISPATCH(weighted_minima_simd)(a, b, weights.data(), out);
}

}  // namespace muster
#endif  // HWY_ONCE
