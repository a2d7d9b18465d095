#include "muster/math/gaussian_pairs.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "muster/math/gemm.h"
#include "support/random_data.h"

namespace muster {
namespace {

struct Gaussian {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  std::vector<double> packed;
};

Gaussian random_gaussian(size_t d, CovarianceKind kind, double scale, uint64_t seed) {
  const auto n = static_cast<Eigen::Index>(d);
  Rng rng(seed);
  Gaussian out{Eigen::VectorXd(n), Eigen::MatrixXd(n, n),
               std::vector<double>(packed_gaussian_size(d, kind))};
  for (Eigen::Index i = 0; i < n; ++i) {
    out.mean[i] = scale * rng.normal();
    for (Eigen::Index j = 0; j < n; ++j) out.covariance(i, j) = rng.normal();
  }
  out.covariance = scale * scale *
                   (out.covariance * out.covariance.transpose() + Eigen::MatrixXd::Identity(n, n));
  const std::span<const double> mean(out.mean.data(), d);
  if (kind == CovarianceKind::kFull) {
    pack_gaussian(mean, MatrixView<const double>(out.covariance.data(), d, d), out.packed);
    return out;
  }
  out.covariance = Eigen::MatrixXd(out.covariance.diagonal().asDiagonal());
  const Eigen::VectorXd variances = out.covariance.diagonal();
  pack_gaussian(mean, std::span<const double>(variances.data(), d), out.packed);
  return out;
}

TEST(GaussianPairs, EqualDirectFactorisations) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull})
    for (const double scale : {1.0, 1e-6, 1e5})
      for (size_t d : {1u, 2u, 5u, 9u, 40u}) {
        const Gaussian one = random_gaussian(d, kind, scale, 1);
        std::vector<Gaussian> others;
        Matrix<double> columns(one.packed.size(), 2 * kGaussianPairLanes);
        for (size_t j = 0; j < columns.cols(); ++j) {
          others.push_back(random_gaussian(d, kind, scale, 2 + j));
          for (size_t e = 0; e < columns.rows(); ++e) columns(e, j) = others[j].packed[e];
        }
        std::vector<double> log_dets(columns.cols()), distances(columns.cols());
        gaussian_pair_terms(one.packed, columns, d, kind, log_dets, distances);
        for (size_t j = 0; j < columns.cols(); ++j) {
          const Eigen::LLT<Eigen::MatrixXd> factor(one.covariance + others[j].covariance);
          const Eigen::VectorXd off = one.mean - others[j].mean;
          const double expected = 2 * factor.matrixLLT().diagonal().array().log().sum();
          EXPECT_NEAR(log_dets[j], expected, 1e-10 * (1 + std::abs(expected))) << d;
          EXPECT_NEAR(distances[j], off.dot(factor.solve(off)), 1e-9 * (1 + distances[j])) << d;
        }
      }
}

TEST(GemmF64, EqualsTheNaiveProduct) {
  for (const auto& [m, n, k] :
       {std::tuple<size_t, size_t, size_t>{1, 1, 1}, {4, 2, 8}, {7, 5, 13}, {9, 11, 1100}}) {
    const Matrix<float> a = oracle::normal_matrix(m, k, Rng(1)),
                        b = oracle::normal_matrix(n, k, Rng(2));
    Matrix<double> x(m, k), y(n, k), out(m, n);
    std::ranges::copy(a.values(), x.data());
    std::ranges::copy(b.values(), y.data());
    gemm_nt(x.view(), y.view(), out.view());
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t t = 0; t < k; ++t) sum += x(i, t) * y(j, t);
        EXPECT_NEAR(out(i, j), sum, 1e-11);
      }
  }
}

}  // namespace
}  // namespace muster
