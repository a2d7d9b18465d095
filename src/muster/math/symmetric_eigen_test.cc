#include "muster/math/symmetric_eigen.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(SymmetricEigen, TakesAMatrixApart) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(7, 7);
  matrix = matrix * matrix.transpose() - Eigen::MatrixXd::Identity(7, 7);
  const SymmetricEigen eigen = symmetric_eigen(matrix);
  EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
  const Eigen::MatrixXd again =
      eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose();
  EXPECT_LT((again - matrix).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((eigen.vectors.transpose() * eigen.vectors - Eigen::MatrixXd::Identity(7, 7))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
  EXPECT_LT((symmetric_eigenvalues(matrix) - eigen.values).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SymmetricEigen, ReadsNothingAboveTheDiagonal) {
  Eigen::MatrixXd lower = Eigen::MatrixXd::Random(5, 5);
  const Eigen::MatrixXd whole = lower.selfadjointView<Eigen::Lower>();
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(99);
  EXPECT_EQ(symmetric_eigen(lower).values, symmetric_eigen(whole).values);
  EXPECT_EQ(symmetric_eigenvalues(lower), symmetric_eigenvalues(whole));
}

}  // namespace
}  // namespace muster
