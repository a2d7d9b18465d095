// The matrix that structured random directions stand for, by its definition.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "muster/core/matrix.h"

namespace muster::oracle {

// Blocks of rows n^(-3/2) H S(b,2) H S(b,1) H S(0), each row times its length, cut to the first d
// columns; signs has the diagonals S(0), S(0,1), S(0,2), S(1,1), ... as rows of n.
inline Matrix<double> directions(size_t d, const std::vector<float>& lengths,
                                 const Matrix<float>& signs) {
  const size_t n = signs.cols();
  const auto hadamard = [](size_t i, size_t j) { return std::popcount(i & j) % 2 ? -1.0 : 1.0; };
  const auto times = [&](const Matrix<double>& a, std::span<const float> sign) {  // a H S / sqrt(n)
    Matrix<double> out(n, n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < n; ++k)
          out(i, j) += a(i, k) * hadamard(k, j) * sign[j] / std::sqrt(static_cast<double>(n));
    return out;
  };
  Matrix<double> out(lengths.size(), d);
  for (size_t first = 0; first < lengths.size(); first += n) {
    Matrix<double> block(n, n);
    for (size_t i = 0; i < n; ++i) block(i, i) = 1;
    const size_t b = first / n;
    for (const size_t row : {2 + 2 * b, 1 + 2 * b, size_t{0}}) block = times(block, signs.row(row));
    for (size_t r = 0; r < std::min(n, lengths.size() - first); ++r)
      for (size_t t = 0; t < d; ++t) out(first + r, t) = lengths[first + r] * block(r, t);
  }
  return out;
}

}  // namespace muster::oracle
