#include "muster/math/nearest.h"

#include "muster/math/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/math/nearest.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Index of the largest products[j] - half_norms[j]; of equal ones the first.
uint32_t argmax_difference(const float* HWY_RESTRICT products, const float* HWY_RESTRICT half_norms,
                           size_t n, float* best_value) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> di;
  const size_t lanes = hn::Lanes(d);
  float best = -std::numeric_limits<float>::infinity();
  uint32_t best_index = 0;
  size_t j = 0;
  if (n >= lanes) {
    auto best_lanes = hn::Set(d, best);
    auto best_indices = hn::Zero(di);
    auto indices = hn::Iota(di, 0);
    const auto step = hn::Set(di, static_cast<uint32_t>(lanes));
    for (; j + lanes <= n; j += lanes) {
      const auto value = hn::Sub(hn::LoadU(d, products + j), hn::LoadU(d, half_norms + j));
      const auto better = hn::Gt(value, best_lanes);
      best_lanes = hn::IfThenElse(better, value, best_lanes);
      best_indices = hn::IfThenElse(hn::RebindMask(di, better), indices, best_indices);
      indices = hn::Add(indices, step);
    }
    HWY_ALIGN float value_of[hn::MaxLanes(d)];
    HWY_ALIGN uint32_t index_of[hn::MaxLanes(d)];
    hn::Store(best_lanes, d, value_of);
    hn::Store(best_indices, di, index_of);
    best = value_of[0];
    best_index = index_of[0];
    for (size_t lane = 1; lane < lanes; ++lane) {
      if (value_of[lane] > best || (value_of[lane] == best && index_of[lane] < best_index)) {
        best = value_of[lane];
        best_index = index_of[lane];
      }
    }
  }
  for (; j < n; ++j) {
    const float value = products[j] - half_norms[j];
    if (value > best) {
      best = value;
      best_index = static_cast<uint32_t>(j);
    }
  }
  *best_value = best;
  return best_index;
}

void argmax_rows(const float* products, const float* half_norms, size_t rows, size_t n,
                 uint32_t* nearest, float* best) {
  for (size_t r = 0; r < rows; ++r)
    nearest[r] = argmax_difference(products + r * n, half_norms, n, best + r);
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(argmax_rows);

std::vector<float> half_squared_norms(ConstMatrixView rows) {
  std::vector<float> out(rows.rows);
  for (size_t r = 0; r < rows.rows; ++r) {
    double sum = 0;
    for (float value : rows.row(r)) sum += static_cast<double>(value) * value;
    out[r] = static_cast<float>(sum / 2);
  }
  return out;
}

void find_nearest(ConstMatrixView vectors, ConstMatrixView centres,
                  std::span<const float> centre_half_norms, std::span<uint32_t> nearest,
                  std::span<float> squared_distances) {
  MUSTER_CHECK(vectors.cols == centres.cols && centres.rows == centre_half_norms.size());
  MUSTER_CHECK(nearest.size() == vectors.rows && centres.rows > 0);
  // A tile of products of at most 256 KiB stays in the second-level cache between product and
  // search.
  constexpr size_t kMaxTileRows = 256;
  const size_t tile_rows = std::clamp<size_t>(65536 / centres.rows, 8, kMaxTileRows);
  thread_local AlignedVector<float> products;
  products.resize(tile_rows * centres.rows);
  float best[kMaxTileRows];
  for (size_t begin = 0; begin < vectors.rows; begin += tile_rows) {
    const size_t count = std::min(tile_rows, vectors.rows - begin);
    const ConstMatrixView tile = vectors.slice_rows(begin, count);
    gemm_nt(tile, centres, MatrixView<float>(products.data(), count, centres.rows));
    HWY_DYNAMIC_DISPATCH(argmax_rows)
    (products.data(), centre_half_norms.data(), count, centres.rows, nearest.data() + begin, best);
    if (squared_distances.empty()) continue;
    for (size_t r = 0; r < count; ++r) {
      double norm = 0;
      for (float value : tile.row(r)) norm += static_cast<double>(value) * value;
      squared_distances[begin + r] = static_cast<float>(std::max(0.0, norm - 2.0 * best[r]));
    }
  }
}

}  // namespace muster
#endif  // HWY_ONCE
