#include "muster/math/covariance.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "muster/math/symmetric_eigen.h"
#include "support/random_data.h"

namespace muster {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor dense(const Matrix<double>& m) {
  return Eigen::Map<const RowMajor>(m.data(), static_cast<Eigen::Index>(m.rows()),
                                    static_cast<Eigen::Index>(m.cols()));
}

TEST(Covariance, WhiteningInvertsTheCovariance) {
  const Moments moments = sample_moments(oracle::normal_matrix(50, 6, Rng(1)));
  const Whitening whitening = whiten(moments.covariance);
  const RowMajor factor = dense(whitening.inverse_factor), covariance = dense(moments.covariance);
  EXPECT_LT((factor * covariance * factor.transpose() - RowMajor::Identity(6, 6)).norm(), 1e-10);
  EXPECT_NEAR(whitening.log_det, std::log(covariance.determinant()), 1e-10);
}

TEST(Covariance, TheFloorRaisesWhatLiesBelowAndNothingElse) {
  const std::vector<double> floors{0.1, 0.2, 0.4};
  Matrix<double> good(3, 3), thin(3, 3);
  for (size_t t = 0; t < 3; ++t) {
    good(t, t) = 1;
    for (size_t u = 0; u < 3; ++u) thin(t, u) = 1;  // of rank one
  }
  const Matrix<double> before = good;
  floor_covariance(good, floors);
  EXPECT_EQ(good, before);
  floor_covariance(thin, floors);
  const RowMajor above = dense(thin) - RowMajor(Eigen::Vector3d(0.1, 0.2, 0.4).asDiagonal());
  EXPECT_NEAR(symmetric_eigenvalues(above)[0], 0, 1e-12);
  const Matrix<double> once = thin;
  floor_covariance(thin, floors);
  EXPECT_EQ(thin, once);
}

TEST(Covariance, NoFloorIsZero) {
  Matrix<float> flat(5, 2);
  for (size_t i = 0; i < 5; ++i) flat(i, 0) = static_cast<float>(i);
  EXPECT_GT(variance_floors(sample_moments(flat), 1e-3)[1], 0);
  EXPECT_GT(variance_floors(sample_moments(Matrix<float>(5, 2)), 1e-3)[0], 0);
  EXPECT_DOUBLE_EQ(variance_floors(sample_moments(flat), 1e-3)[0], 2e-3);
}

}  // namespace
}  // namespace muster
