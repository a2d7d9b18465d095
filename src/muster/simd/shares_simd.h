// The inner loops of mixtures whose shares are sparse: only components near a vector count. By SIMD
// with run-time dispatch, on the calling thread.
#pragma once

#include <cstdint>
#include <span>

#include "muster/core/matrix.h"

namespace muster {

// out(i, t) = rows(i, t) * scales[t], rounded. fits[i] says whether row i is within range: no value
// beyond 16 bits, and sum_t |out(i, t)| weights[t] below `most`.
void round_to_int16(ConstMatrixView rows, std::span<const float> scales,
                    std::span<const float> weights, float most, MatrixView<int16_t> out,
                    std::span<uint8_t> fits);

// Gaussians with diagonal covariances, one per row: constants[m] - 1/2 |(x - means_m) scales_m|^2.
struct DiagonalGaussians {
  Matrix<float> means, scales;
  std::vector<float> constants;
};

// Evaluates exactly those components of row i of log_values that are at most `reach` below the
// row's largest, or all of them if fits[i] is 0; x_i are the first columns of row i of `vectors`.
// Stops after about `most` evaluations; returns their number.
size_t evaluate_largest(const DiagonalGaussians& gaussians, ConstMatrixView vectors, float reach,
                        std::span<const uint8_t> fits, size_t most, MatrixView<float> log_values);

// products(m, t) = sum_i shares(i, m) x(i, t), and squares alike with x^2, over those shares that
// are at least least[m]. `products` has one row per component: d sums, then d sums of squares.
// Stops after about `most` shares; returns how many there were.
size_t add_large_shares(ConstMatrixView shares, std::span<const float> least,
                        ConstMatrixView vectors, size_t most, MatrixView<float> products);

}  // namespace muster
