#include "muster/math/covariance.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "muster/cluster/shared_for.h"
#include "muster/math/gemm.h"
#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

constexpr size_t kBlockRows = 4096;
constexpr double kLeastShareOfMean = 1e-4;
// Smaller eigenvalues would drown in the rounding of the larger ones.
constexpr double kLeastShareOfTrace = 1e-12;
// How far below the floor rounding may take a covariance that was put on it before.
constexpr double kFloorSlack = 1e-9;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> mean_of_rows(ConstMatrixView vectors) {
  std::vector<double> mean(vectors.cols);
  for (size_t i = 0; i < vectors.rows; ++i)
    for (size_t t = 0; t < vectors.cols; ++t) mean[t] += vectors(i, t);
  for (double& value : mean) value /= static_cast<double>(std::max<size_t>(vectors.rows, 1));
  return mean;
}

Eigen::MatrixXd dense(MatrixView<const double> matrix) {
  Eigen::MatrixXd out(matrix.rows, matrix.cols);
  for (size_t i = 0; i < matrix.rows; ++i)
    for (size_t j = 0; j < matrix.cols; ++j)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = matrix(i, j);
  return out;
}

}  // namespace

Moments sample_moments(ConstMatrixView vectors) {
  const size_t n = vectors.rows, d = vectors.cols;
  Moments out{mean_of_rows(vectors), Matrix<double>(d, d)};
  const size_t num_blocks = (n + kBlockRows - 1) / kBlockRows;
  std::vector<Matrix<float>> products(num_blocks, Matrix<float>(d, d));
  const SharedRows product = [&](size_t block) { return shared_bytes(products[block].values()); };
  shared_for(num_blocks, 1, {product}, [&](size_t block, size_t) {
    const size_t begin = block * kBlockRows, count = std::min(kBlockRows, n - begin);
    Matrix<float> centred(vectors.slice_rows(begin, count));
    for (size_t i = 0; i < count; ++i)
      for (size_t t = 0; t < d; ++t) centred(i, t) -= static_cast<float>(out.mean[t]);
    gemm_tn(centred, centred, products[block]);
  });
  for (const Matrix<float>& product : products)
    for (size_t i = 0; i < d * d; ++i) out.covariance.data()[i] += product.data()[i];
  for (double& value : out.covariance.values())
    value /= static_cast<double>(std::max<size_t>(n, 1));
  return out;
}

std::vector<double> variance_floors(const Moments& whole_sample, double ratio) {
  const size_t d = whole_sample.mean.size();
  double mean_variance = 0;
  for (size_t t = 0; t < d; ++t)
    mean_variance += whole_sample.covariance(t, t) / static_cast<double>(d);
  const double least = kLeastShareOfMean * (mean_variance > 0 ? mean_variance : 1);
  std::vector<double> floors(d);
  for (size_t t = 0; t < d; ++t) floors[t] = ratio * std::max(whole_sample.covariance(t, t), least);
  return floors;
}

void floor_covariance(MatrixView<double> covariance, std::span<const double> floors) {
  const auto d = static_cast<Eigen::Index>(covariance.rows);
  Eigen::VectorXd roots(d);
  for (Eigen::Index t = 0; t < d; ++t) roots[t] = std::sqrt(floors[static_cast<size_t>(t)]);
  // In units of the floors, all eigenvalues must be at least 1.
  const Eigen::VectorXd inverse_roots = roots.cwiseInverse();
  const Eigen::MatrixXd scaled =
      inverse_roots.asDiagonal() * dense(covariance) * inverse_roots.asDiagonal();
  const double least = std::max(1.0, kLeastShareOfTrace * scaled.trace());
  const Eigen::LLT<Eigen::MatrixXd> above(scaled - (1 - kFloorSlack) * least *
                                                       Eigen::MatrixXd::Identity(d, d));
  if (above.info() == Eigen::Success) return;
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  const RowMajor raised = roots.asDiagonal() * eigen.vectors *
                          eigen.values.cwiseMax(least).asDiagonal() * eigen.vectors.transpose() *
                          roots.asDiagonal();
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j)
      covariance(static_cast<size_t>(i), static_cast<size_t>(j)) =
          (raised(i, j) + raised(j, i)) / 2;
}

bool is_positive_definite(MatrixView<const double> covariance) {
  return Eigen::LLT<Eigen::MatrixXd>(dense(covariance)).info() == Eigen::Success;
}

Whitening whiten(MatrixView<const double> covariance) {
  const auto d = static_cast<Eigen::Index>(covariance.rows);
  const Eigen::LLT<Eigen::MatrixXd> factor(dense(covariance));
  if (factor.info() != Eigen::Success)
    throw data_error(
        "a covariance is not positive definite in the range of numbers; the vectors are too large, "
        "too small or too much alike for a density: scale them, or raise floor");
  const RowMajor inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(d, d));
  Whitening out{Matrix<double>(covariance.rows, covariance.rows), 0};
  for (Eigen::Index i = 0; i < d; ++i) {
    out.log_det += 2 * std::log(factor.matrixL()(i, i));
    for (Eigen::Index j = 0; j <= i; ++j)
      out.inverse_factor(static_cast<size_t>(i), static_cast<size_t>(j)) = inverse(i, j);
  }
  return out;
}

}  // namespace muster
