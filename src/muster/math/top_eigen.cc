#include "muster/math/top_eigen.h"

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

constexpr size_t kExtraDirections = 30;
constexpr int kIterations = 6;
constexpr double kSmallest = 1e-6;
constexpr size_t kBlockRows = 128;

struct Decomposition {
  std::vector<double> values;  // falling
  Matrix<float> vectors;       // columns, in the order of the values
};

Decomposition decompose(const Matrix<float>& symmetric) {
  if (symmetric.empty()) return {};
  const auto n = static_cast<Eigen::Index>(symmetric.rows());
  Eigen::MatrixXd dense(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      dense(i, j) =
          (static_cast<double>(symmetric(static_cast<size_t>(i), static_cast<size_t>(j))) +
           symmetric(static_cast<size_t>(j), static_cast<size_t>(i))) /
          2;
  const SymmetricEigen eigen = symmetric_eigen(dense);
  Decomposition out{{}, Matrix<float>(symmetric.rows(), symmetric.rows())};
  for (Eigen::Index j = 0; j < n; ++j) {
    out.values.push_back(eigen.values[n - 1 - j]);
    for (Eigen::Index i = 0; i < n; ++i)
      out.vectors(static_cast<size_t>(i), static_cast<size_t>(j)) =
          static_cast<float>(eigen.vectors(i, n - 1 - j));
  }
  return out;
}

Matrix<float> multiply(ConstMatrixView a, ConstMatrixView b) {
  Matrix<float> out(a.rows, b.cols);
  parallel_for(a.rows, kBlockRows, [&](size_t begin, size_t end) {
    gemm_nn(a.slice_rows(begin, end - begin), b, out.view().slice_rows(begin, end - begin));
  });
  return out;
}

// An orthonormal basis of the span of the columns, those of almost no length left out.
Matrix<float> orthonormal(const Matrix<float>& columns) {
  Matrix<float> gram(columns.cols(), columns.cols());
  gemm_tn(columns, columns, gram);
  Decomposition found = decompose(gram);
  size_t kept = 0;
  while (kept < found.values.size() &&
         found.values[kept] > kSmallest * kSmallest * found.values[0] && found.values[kept] > 0)
    ++kept;
  Matrix<float> map(columns.cols(), kept);
  for (size_t i = 0; i < map.rows(); ++i)
    for (size_t j = 0; j < kept; ++j)
      map(i, j) = static_cast<float>(found.vectors(i, j) / std::sqrt(found.values[j]));
  return multiply(columns, map);
}

}  // namespace

TopEigen top_eigenpairs(ConstMatrixView matrix, size_t count, Rng rng) {
  MUSTER_CHECK(matrix.rows == matrix.cols);
  const size_t n = matrix.rows, width = std::min(n, count + kExtraDirections);
  Matrix<float> basis(n, width);
  for (float& value : basis.values()) value = static_cast<float>(rng.normal());
  // Twice: in single precision one pass leaves the columns orthogonal to about 1e-3 only.
  basis = orthonormal(orthonormal(basis));
  for (int i = 0; i < kIterations; ++i) basis = orthonormal(orthonormal(multiply(matrix, basis)));
  Matrix<float> small(basis.cols(), basis.cols());
  gemm_tn(basis, multiply(matrix, basis), small);
  const Decomposition ritz = decompose(small);
  TopEigen out;
  while (out.values.size() < std::min(count, ritz.values.size()) &&
         ritz.values[out.values.size()] > kSmallest * ritz.values[0] &&
         ritz.values[out.values.size()] > 0)
    out.values.push_back(ritz.values[out.values.size()]);
  const Matrix<float> vectors = multiply(basis, ritz.vectors);
  out.vectors = Matrix<float>(out.values.size(), n);
  for (size_t j = 0; j < out.values.size(); ++j)
    for (size_t i = 0; i < n; ++i) out.vectors(j, i) = vectors(i, j);
  return out;
}

}  // namespace muster
