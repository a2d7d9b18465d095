#include "muster/math/pairwise.h"

#include "muster/math/gemm.h"
#include "muster/math/nearest.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/math/pairwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "muster/simd/pair_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Intersection {
  template <class D, class V>
  V operator()(D, V a, V b) const {
    return hn::Min(a, b);
  }
};

struct Chi2 {
  template <class D, class V>
  V operator()(D d, V a, V b) const {
    const V sum = hn::Add(a, b);
    const V product = hn::Mul(hn::Add(a, a), b);
    return hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Zero(d), hn::Div(product, sum));
  }
};

struct AbsoluteDifference {
  template <class D, class V>
  V operator()(D, V a, V b) const {
    return hn::AbsDiff(a, b);
  }
};

// kRows rows of a against two rows of b at once: 2 * kRows accumulators live in registers.
template <size_t kRows, class Term>
void block(const Term& term, const float* const* a, const float* b0, const float* b1, size_t n,
           float* out0, float* out1) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums0[kRows], sums1[kRows];
  for (size_t r = 0; r < kRows; ++r) sums0[r] = sums1[r] = hn::Zero(d);
  size_t t = 0;
  const auto step = [&](auto load) {
    const auto vb0 = load(b0 + t), vb1 = load(b1 + t);
    for (size_t r = 0; r < kRows; ++r) {
      const auto va = load(a[r] + t);
      sums0[r] = hn::Add(sums0[r], term(d, va, vb0));
      sums1[r] = hn::Add(sums1[r], term(d, va, vb1));
    }
  };
  for (; t + lanes <= n; t += lanes) step([&](const float* p) { return hn::LoadU(d, p); });
  if (t < n) {
    const auto mask = hn::FirstN(d, n - t);
    HWY_ALIGN float buffer[hn::MaxLanes(d)];
    step([&](const float* p) {
      // Copied first: a masked load may still fault past the end on targets without masks.
      std::fill(buffer, buffer + lanes, 0.0f);
      std::copy(p, p + (n - t), buffer);
      return hn::IfThenElseZero(mask, hn::Load(d, buffer));
    });
  }
  for (size_t r = 0; r < kRows; ++r) {
    out0[r] = hn::GetLane(hn::SumOfLanes(d, sums0[r]));
    out1[r] = hn::GetLane(hn::SumOfLanes(d, sums1[r]));
  }
}

// Vectors longer than this are compared piece by piece, so that the pieces of a tile stay in cache.
constexpr size_t kDepth = 2048;

template <class Term>
void all_pairs(const Term& term, ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  for (size_t i = 0; i < out.rows; ++i) std::ranges::fill(out.row(i), 0.0f);
  add_pair_blocks(a, b, kDepth, out,
                  [&](const float* const* a_rows, const float* b0, const float* b1, size_t,
                      size_t n, float* sums0, float* sums1)
                      HWY_ATTR { block<kRowsAtOnce>(term, a_rows, b0, b1, n, sums0, sums1); });
}

void intersection_simd(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  all_pairs(Intersection{}, a, b, out);
}
void chi2_simd(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  all_pairs(Chi2{}, a, b, out);
}
void l1_simd(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  all_pairs(AbsoluteDifference{}, a, b, out);
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
namespace {

void check_shapes(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  MUSTER_CHECK(a.cols == b.cols && out.rows == a.rows && out.cols == b.rows);
}

}  // namespace

HWY_EXPORT(intersection_simd);
HWY_EXPORT(chi2_simd);
HWY_EXPORT(l1_simd);

void pairwise_intersection(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  check_shapes(a, b, out);
  HWY_DYNAMIC_DISPATCH(intersection_simd)(a, b, out);
}

void pairwise_chi2(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  check_shapes(a, b, out);
  HWY_DYNAMIC_DISPATCH(chi2_simd)(a, b, out);
}

void pairwise_l1(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  check_shapes(a, b, out);
  HWY_DYNAMIC_DISPATCH(l1_simd)(a, b, out);
}

void pairwise_squared_l2(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
  check_shapes(a, b, out);
  const std::vector<float> half_a = half_squared_norms(a), half_b = half_squared_norms(b);
  gemm_nt(a, b, out);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < b.rows; ++j)
      out(i, j) = std::max(0.0f, 2.0f * (half_a[i] + half_b[j] - out(i, j)));
}

}  // namespace muster
#endif  // HWY_ONCE
