#include "muster/simd/sparse_minima.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/sparse_minima.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums of kVectors registers of sets; the compiler keeps them in registers.
template <size_t kVectors>
void one_histogram(const float* block, const SparseBins& sparse, float* out) {
  const hn::CappedTag<float, kBlockSets / kVectors> d;
  hn::Vec<decltype(d)> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (size_t k = 0; k < sparse.count; ++k) {
    const auto value = hn::Set(d, sparse.values[k]);
    const float* row = block + sparse.bins[k] * kBlockSets;
    for (size_t v = 0; v < kVectors; ++v)
      sums[v] = hn::Add(sums[v], hn::Min(value, hn::Load(d, row + v * hn::Lanes(d))));
  }
  for (size_t v = 0; v < kVectors; ++v) hn::Store(sums[v], d, out + v * hn::Lanes(d));
}

void sparse_minima_simd(const float* block, std::span<const SparseBins> sparse, float* out) {
  constexpr size_t kLanes = hn::MaxLanes(hn::CappedTag<float, kBlockSets>());
  for (size_t j = 0; j < sparse.size(); ++j)
    one_histogram<kBlockSets / kLanes>(block, sparse[j], out + j * kBlockSets);
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(sparse_minima_simd);

void sparse_minima(MatrixView<const float> block, std::span<const SparseBins> sparse,
                   MatrixView<float> out) {
  MUSTER_CHECK(block.cols == kBlockSets && block.stride == kBlockSets && out.cols == kBlockSets &&
               out.stride == kBlockSets && out.rows == sparse.size());
  HWY_DYNAMIC_DISPATCH(sparse_minima_simd)(block.data, sparse, out.data);
}

}  // namespace muster
#endif  // HWY_ONCE
