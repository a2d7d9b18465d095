#include "muster/math/cholesky.h"

#include <algorithm>
#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr size_t kBlock = 32;

MatrixView<float> part(MatrixView<float> a, size_t row, size_t col, size_t rows, size_t cols) {
  return {a.data + row * a.stride + col, rows, cols, a.stride};
}

bool factor_block(MatrixView<float> a) {
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (size_t k = 0; k < j; ++k) sum -= static_cast<double>(a(i, k)) * a(j, k);
      if (j < i)
        a(i, j) = static_cast<float>(sum / a(j, j));
      else if (sum > 0 && std::isfinite(sum))
        a(i, i) = static_cast<float>(std::sqrt(sum));
      else
        return false;
    }
  }
  return true;
}

// The inverse of a small lower triangular matrix, zeros above its diagonal.
Matrix<float> inverse_of_block(MatrixView<const float> lower) {
  Matrix<float> inverse(lower.rows, lower.rows);
  for (size_t c = 0; c < lower.rows; ++c)
    for (size_t r = c; r < lower.rows; ++r) {
      double sum = r == c ? 1 : 0;
      for (size_t k = c; k < r; ++k) sum -= static_cast<double>(lower(r, k)) * inverse(k, c);
      inverse(r, c) = static_cast<float>(sum / lower(r, r));
    }
  return inverse;
}

// Writes the inverse of a lower triangular matrix into zeros, by halves:
// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1].
void invert_lower(ConstMatrixView lower, MatrixView<float> out) {
  const size_t n = lower.rows;
  if (n <= kBlock) {
    const Matrix<float> inverse = inverse_of_block(lower);
    for (size_t r = 0; r < n; ++r) std::ranges::copy(inverse.row(r), out.row(r).begin());
    return;
  }
  const size_t top = n / 2, rest = n - top;
  const MatrixView<float> first = part(out, 0, 0, top, top), last = part(out, top, top, rest, rest);
  invert_lower({lower.data, top, top, lower.stride}, first);
  invert_lower({lower.data + top * lower.stride + top, rest, rest, lower.stride}, last);
  Matrix<float> between(rest, top);
  gemm_nn({lower.data + top * lower.stride, rest, top, lower.stride}, first, between);
  gemm_nn(last, between, part(out, top, 0, rest, top), -1);
}

}  // namespace

bool factor_cholesky(MatrixView<float> a) {
  MUSTER_CHECK(a.rows == a.cols);
  Matrix<float> panel;
  for (size_t begin = 0; begin < a.rows; begin += kBlock) {
    const size_t width = std::min(kBlock, a.rows - begin), next = begin + width,
                 below = a.rows - next;
    const MatrixView<float> diagonal = part(a, begin, begin, width, width);
    if (!factor_block(diagonal)) return false;
    if (below == 0) break;
    const MatrixView<float> left = part(a, next, begin, below, width);
    panel = Matrix<float>(below, width);
    gemm_nt(left, inverse_of_block(diagonal), panel);
    for (size_t r = 0; r < below; ++r) std::ranges::copy(panel.row(r), left.row(r).begin());
    // The lower triangle of what remains, in strips as wide as four blocks.
    for (size_t col = 0; col < below; col += 4 * kBlock) {
      const size_t cols = std::min(4 * kBlock, below - col);
      gemm_nt(panel.view().slice_rows(col, below - col), panel.view().slice_rows(col, cols),
              part(a, next + col, next + col, below - col, cols), -1, 1);
    }
  }
  return true;
}

void solve_cholesky(ConstMatrixView lower, std::span<double> x) {
  MUSTER_CHECK(lower.rows == lower.cols && x.size() == lower.rows);
  for (size_t i = 0; i < x.size(); ++i) {
    const std::span<const double> solved = x.first(i);
    x[i] = (x[i] - dot(lower.row(i).first(i), solved)) / lower(i, i);
  }
  for (size_t i = x.size(); i-- > 0;) {
    x[i] /= lower(i, i);
    axpy(-x[i], lower.row(i).first(i), x.first(i));
  }
}

Matrix<float> inverse_from_cholesky(ConstMatrixView lower) {
  MUSTER_CHECK(lower.rows == lower.cols);
  const size_t n = lower.rows;
  Matrix<float> half(n, n), out(n, n);
  invert_lower(lower, half);
  constexpr size_t kTile = 256;
  parallel_for(n, kTile, [&](size_t begin, size_t end) {
    // Rows of `half` above `begin` are 0 in these columns.
    const ConstMatrixView below = half.view().slice_rows(begin, n - begin);
    const ConstMatrixView own(below.data + begin, below.rows, end - begin, below.stride);
    gemm_tn(own, {below.data, below.rows, n, below.stride}, part(out, begin, 0, end - begin, n));
  });
  return out;
}

}  // namespace muster
