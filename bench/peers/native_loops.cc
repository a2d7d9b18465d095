#include "peers/native_loops.h"

#include <algorithm>
#include <cmath>

namespace muster::bench {

void plain_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i; j < n; ++j) {
      const float *a = histograms + i * bins, *b = histograms + j * bins;
      float sum = 0;
      for (size_t t = 0; t < bins; ++t) sum += a[t] < b[t] ? a[t] : b[t];
      gram[i * n + j] = gram[j * n + i] = sum;
    }
}

namespace {

#ifdef __AVX512F__
constexpr size_t kLanes = 16, kRows = 6, kCols = 4;  // 24 sums and 10 operands, of 32 registers
#else
constexpr size_t kLanes = 8, kRows = 4, kCols = 2;  // 8 sums and 6 operands, of 16 registers
#endif
typedef float Vector __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));

// Adds the intersections of kRows and kCols histograms over some bins.
inline void add_block(const float* a, const float* b, size_t stride, size_t bins, float* out,
                      size_t out_stride) {
  Vector sums[kRows][kCols] = {};
  for (size_t t = 0; t < bins; t += kLanes) {
    Vector right[kCols];
    for (size_t c = 0; c < kCols; ++c)
      right[c] = *reinterpret_cast<const Vector*>(b + c * stride + t);
    for (size_t r = 0; r < kRows; ++r) {
      const Vector left = *reinterpret_cast<const Vector*>(a + r * stride + t);
      for (size_t c = 0; c < kCols; ++c) sums[r][c] += left < right[c] ? left : right[c];
    }
  }
  for (size_t r = 0; r < kRows; ++r)
    for (size_t c = 0; c < kCols; ++c) {
      float sum = 0;
      for (size_t lane = 0; lane < kLanes; ++lane) sum += sums[r][c][lane];
      out[r * out_stride + c] += sum;
    }
}

}  // namespace

void blocked_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram) {
  constexpr size_t kBins = 1024;  // of the operands in the first-level cache
  constexpr size_t kPanel = 96;   // columns in the second-level one
  static_assert(96 % kCols == 0 && 12 % kRows == 0);
  std::fill(gram, gram + n * n, 0.0f);
  for (size_t panel = 0; panel < n; panel += kPanel) {
    const size_t end = std::min(n, panel + kPanel);
    for (size_t first = 0; first < bins; first += kBins) {
      const size_t count = std::min(kBins, bins - first);
      for (size_t i = 0; i < end; i += kRows)
        for (size_t j = std::max(panel, i / kCols * kCols); j < end; j += kCols)
          add_block(histograms + i * bins + first, histograms + j * bins + first, bins, count,
                    gram + i * n + j, n);
    }
  }
}

void mean_cosines(const float* angles, size_t rows, size_t dim, const float* phases, float* out) {
  std::fill(out, out + dim, 0.0f);
  for (size_t i = 0; i < rows; ++i)
    for (size_t t = 0; t < dim; ++t) out[t] += std::cos(angles[i * dim + t] + phases[t]);
  const float scale = std::sqrt(2.0f / static_cast<float>(dim)) / static_cast<float>(rows);
  for (size_t t = 0; t < dim; ++t) out[t] *= scale;
}

}  // namespace muster::bench
