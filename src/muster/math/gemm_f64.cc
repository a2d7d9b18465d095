#include "muster/math/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/math/gemm_f64.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kRows = 4, kCols = 2;
// Depth of a pass, so that the rows of a tile stay in the first-level cache.
constexpr size_t kDepth = 512;

// Dot products of kRows rows with kCols rows at once: the accumulators live in registers.
void block(const double* const* a, const double* const* b, size_t n, double (*out)[kCols]) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums[kRows][kCols];
  for (auto& row : sums)
    for (auto& sum : row) sum = hn::Zero(d);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    const auto b0 = hn::LoadU(d, b[0] + t), b1 = hn::LoadU(d, b[1] + t);
    for (size_t r = 0; r < kRows; ++r) {
      const auto value = hn::LoadU(d, a[r] + t);
      sums[r][0] = hn::MulAdd(value, b0, sums[r][0]);
      sums[r][1] = hn::MulAdd(value, b1, sums[r][1]);
    }
  }
  for (size_t r = 0; r < kRows; ++r)
    for (size_t c = 0; c < kCols; ++c) {
      out[r][c] = hn::GetLane(hn::SumOfLanes(d, sums[r][c]));
      for (size_t rest = t; rest < n; ++rest) out[r][c] += a[r][rest] * b[c][rest];
    }
}

void gemm_nt_all(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  for (size_t i = 0; i < c.rows; ++i) std::fill_n(c.row(i).data(), c.cols, 0.0);
  for (size_t depth = 0; depth < a.cols; depth += kDepth) {
    const size_t n = std::min(kDepth, a.cols - depth);
    for (size_t j = 0; j < b.rows; j += kCols) {
      const double* b_rows[kCols];
      for (size_t q = 0; q < kCols; ++q)
        b_rows[q] = b.row(std::min(j + q, b.rows - 1)).data() + depth;
      for (size_t i = 0; i < a.rows; i += kRows) {
        const double* a_rows[kRows];
        for (size_t r = 0; r < kRows; ++r)
          a_rows[r] = a.row(std::min(i + r, a.rows - 1)).data() + depth;
        double sums[kRows][kCols];
        block(a_rows, b_rows, n, sums);
        for (size_t r = 0; r < kRows && i + r < a.rows; ++r)
          for (size_t q = 0; q < kCols && j + q < b.rows; ++q) c(i + r, j + q) += sums[r][q];
      }
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(gemm_nt_all);

void gemm_nt(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  MUSTER_CHECK(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows);
  HWY_DYNAMIC_DISPATCH(gemm_nt_all)(a, b, c);
}

}  // namespace muster
#endif  // HWY_ONCE
