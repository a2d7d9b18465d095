// The SIMD loops of dense SIFT. A picture's gradients are kept as 8 orientation planes
// interleaved by pixel, so that one vector of 8 floats holds all orientations of a pixel or of a
// cell. All are thread-safe and run on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

inline constexpr size_t kOrientations = 8;
inline constexpr size_t kSiftCells = 4;  // per side of a patch
inline constexpr size_t kSiftDim = kSiftCells * kSiftCells * kOrientations;
// Floats that sift_orientation_row may read beyond the end of a row.
inline constexpr size_t kRowSlack = 64;

// Splits the gradient (central differences) of one row of pixels over the two nearest of 8
// orientations:
//   planes[8 x + o] = |g(x)| max(0, 1 - |angle(g(x)) / 45 degrees - o|), differences taken mod 8,
// with the angle from x to y (downwards). Requires row[-1] .. row[width + kRowSlack - 1] readable.
void sift_orientation_row(const float* above, const float* row, const float* below, size_t width,
                          float* planes);

// out[8 i + o] = sum_t weights[t] planes[8 (first[i] + t) + o].
void sift_sum_windows(const float* planes, std::span<const int32_t> first,
                      std::span<const float> weights, float* out);

// out[i] += weight * in[i].
void sift_add_scaled(float weight, const float* in, size_t n, float* out);

struct SiftNorm {
  float cell_weights[kSiftCells * kSiftCells];
  float clip = 0.2f;
  // A histogram with a smaller L2 norm gives the zero vector.
  float threshold = 0;
};

// Gathers the 4 x 4 cells of a row of patches, weighted, and normalises them: unit length, clipped,
// unit length. Patch i takes its cells from cell_rows[r][8 columns[4 i + c] ...]; out holds 128
// floats per patch.
void sift_gather(const float* const cell_rows[kSiftCells], std::span<const uint32_t> columns,
                 const SiftNorm& norm, float* out);

}  // namespace muster
