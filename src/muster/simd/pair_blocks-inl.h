// The walk over all pairs of rows that pairwise.cc and weighted_minima.cc share, once per SIMD
// target.
#if defined(MUSTER_SIMD_PAIR_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_SIMD_PAIR_BLOCKS_INL_H_
#undef MUSTER_SIMD_PAIR_BLOCKS_INL_H_
#else
#define MUSTER_SIMD_PAIR_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "muster/core/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {

// Rows of a that a block takes against two rows of b: as many sums as fit in registers.
inline constexpr size_t kRowsAtOnce = 4;

// out(i, j) += the sum over pieces of block's value for row i of a and row j of b. Pieces are
// `depth` values long, so that those of a tile stay in cache. block(a_rows, b0, b1, begin, n,
// sums0, sums1) is given kRowsAtOnce rows of a and two of b, each n values from `begin` on; at the
// edges the last row is repeated, and what it gives is not used.
template <class T, class Block>
void add_pair_blocks(MatrixView<const T> a, MatrixView<const T> b, size_t depth, MatrixView<T> out,
                     const Block& block) {
  for (size_t begin = 0; begin < a.cols; begin += depth) {
    const size_t n = std::min(depth, a.cols - begin);
    for (size_t i = 0; i < a.rows; i += kRowsAtOnce) {
      const size_t rows = std::min(kRowsAtOnce, a.rows - i);
      const T* a_rows[kRowsAtOnce];
      for (size_t r = 0; r < kRowsAtOnce; ++r)
        a_rows[r] = a.row(i + std::min(r, rows - 1)).data() + begin;
      for (size_t j = 0; j < b.rows; j += 2) {
        const size_t second = std::min(j + 1, b.rows - 1);
        T sums0[kRowsAtOnce], sums1[kRowsAtOnce];
        block(a_rows, b.row(j).data() + begin, b.row(second).data() + begin, begin, n, sums0,
              sums1);
        for (size_t r = 0; r < rows; ++r) {
          out(i + r, j) += sums0[r];
          if (second != j) out(i + r, second) += sums1[r];
        }
      }
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUSTER_SIMD_PAIR_BLOCKS_INL_H_
