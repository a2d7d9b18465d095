#include "oracle/gmm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/symmetric_eigen.h"
#include "muster/mixture/gmm_fit.h"
#include "support/random_data.h"

namespace muster {
namespace {

// Clusters of different spread, away from the origin.
Matrix<float> clusters(size_t n, size_t d, uint64_t seed) {
  Matrix<float> data = oracle::normal_matrix(n, d, Rng(seed));
  const Matrix<float> centres = oracle::normal_matrix(5, d, Rng(seed).derive("centres"));
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < d; ++t)
      data(i, t) = 5 + 3 * centres(i % 5, t) + (i % 5 == 0 ? 2.0f : 0.5f) * data(i, t);
  return data;
}

GmmOptions small_options(CovarianceKind kind, GmmPriorKind prior, int components = 3) {
  GmmOptions options;
  options.components = components;
  options.covariance = kind;
  options.prior = prior;
  options.iterations = 4;
  options.tolerance = 0;
  options.floor = 1e-6;
  return options;
}

oracle::Mixture as_oracle(const Gmm& mixture) {
  oracle::Mixture out{mixture.weights(), {}};
  const auto d = static_cast<Eigen::Index>(mixture.dim());
  for (size_t m = 0; m < mixture.num_components(); ++m) {
    oracle::Gaussian part{Eigen::VectorXd(d), Eigen::MatrixXd::Zero(d, d)};
    for (Eigen::Index i = 0; i < d; ++i) {
      const auto row = static_cast<size_t>(i);
      part.mean[i] = mixture.means()(m, row);
      if (mixture.kind() == CovarianceKind::kDiagonal)
        part.covariance(i, i) = mixture.covariances()(m, row);
      else
        for (Eigen::Index j = 0; j < d; ++j)
          part.covariance(i, j) = mixture.covariance(m)(row, static_cast<size_t>(j));
    }
    out.parts.push_back(part);
  }
  return out;
}

oracle::Gaussian as_oracle(const Moments& moments) {
  const auto d = static_cast<Eigen::Index>(moments.mean.size());
  return {Eigen::Map<const Eigen::VectorXd>(moments.mean.data(), d),
          Eigen::Map<const Eigen::MatrixXd>(moments.covariance.data(), d, d)};
}

void expect_close(const oracle::Mixture& ours, const oracle::Mixture& expected, double tolerance) {
  ASSERT_EQ(ours.weights.size(), expected.weights.size());
  for (size_t m = 0; m < expected.weights.size(); ++m) {
    EXPECT_NEAR(ours.weights[m], expected.weights[m], tolerance);
    EXPECT_LT((ours.parts[m].mean - expected.parts[m].mean).norm(),
              tolerance * (1 + expected.parts[m].mean.norm()));
    EXPECT_LT((ours.parts[m].covariance - expected.parts[m].covariance).norm(),
              tolerance * (1 + expected.parts[m].covariance.norm()));
  }
}

class GmmOfKind : public ::testing::TestWithParam<CovarianceKind> {};
INSTANTIATE_TEST_SUITE_P(Gmm, GmmOfKind,
                         ::testing::Values(CovarianceKind::kDiagonal, CovarianceKind::kFull),
                         [](const auto& info) {
                           return info.param == CovarianceKind::kFull ? "Full" : "Diagonal";
                         });

TEST_P(GmmOfKind, ResponsibilitiesEqualTheNaiveOnes) {
  for (const auto& [n, d, k] :
       {std::tuple<size_t, size_t, int>{1, 1, 1}, {40, 3, 4}, {33, 7, 5}, {50, 17, 9}}) {
    const Matrix<float> data = clusters(n + 60, d, n);
    const Gmm mixture = fit_gmm(small_options(GetParam(), GmmPriorKind::kSample, k), data,
                                sample_moments(data), Rng(1))
                            .mixture;
    Matrix<float> ours(n, mixture.num_components());
    std::vector<float> log_densities(n);
    mixture.posteriors(data.view().slice_rows(0, n), ours, log_densities);
    const oracle::Mixture naive = as_oracle(mixture);
    for (size_t i = 0; i < n; ++i) {
      double log_sum = 0;
      const std::vector<double> expected =
          oracle::responsibilities(naive, oracle::vector_of(data.row(i)), &log_sum);
      for (size_t m = 0; m < expected.size(); ++m)
        EXPECT_NEAR(ours(i, m), expected[m], 2e-4) << n << " " << d;
      EXPECT_NEAR(log_densities[i], log_sum, 1e-4 * (1 + std::abs(log_sum)));
    }
  }
}

TEST_P(GmmOfKind, OneMapStepEqualsTheNaiveOne) {
  const Matrix<float> data = clusters(300, 5, 3);
  const Moments whole = sample_moments(data);
  for (const GmmPriorKind prior : {GmmPriorKind::kNone, GmmPriorKind::kSample}) {
    GmmOptions options = small_options(GetParam(), prior);
    options.weights = {0.7, 1.5, 4};
    const Gmm before = fit_gmm(options, data, whole, Rng(1)).mixture;
    GmmStatistics statistics(before.num_components(), before.dim(), GetParam());
    statistics.add(before, data);
    const bool none = prior == GmmPriorKind::kNone;
    const oracle::Mixture expected =
        oracle::map_em_step(as_oracle(before), data, as_oracle(whole), none ? 0 : 0.7,
                            none ? 0 : 1.5, none ? 0 : 4, GetParam() == CovarianceKind::kDiagonal);
    expect_close(as_oracle(maximise(options, statistics, before, whole)), expected, 1e-4);
  }
}

TEST_P(GmmOfKind, NoWeightIsMaximumLikelihoodAndInfiniteWeightIsThePrior) {
  const Matrix<float> data = clusters(200, 4, 4);
  const Moments whole = sample_moments(data);
  GmmOptions plain = small_options(GetParam(), GmmPriorKind::kNone), weightless = plain,
             heavy = plain;
  weightless.prior = heavy.prior = GmmPriorKind::kSample;
  weightless.weights = {0, 0, 0};
  heavy.weights = {1e12, 1e12, 1e12};
  expect_close(as_oracle(fit_gmm(weightless, data, whole, Rng(1)).mixture),
               as_oracle(fit_gmm(plain, data, whole, Rng(1)).mixture), 1e-12);
  const oracle::Mixture at_prior = as_oracle(fit_gmm(heavy, data, whole, Rng(1)).mixture);
  oracle::Gaussian prior = as_oracle(whole);
  if (GetParam() == CovarianceKind::kDiagonal)
    prior.covariance = Eigen::MatrixXd(prior.covariance.diagonal().asDiagonal());
  expect_close(at_prior, {std::vector<double>(3, 1.0 / 3), {prior, prior, prior}}, 1e-6);
}

TEST_P(GmmOfKind, TheObjectiveNeverFallsAndThreadsDoNotMatter) {
  for (const GmmInit init : {GmmInit::kKMeans, GmmInit::kSplit})
    for (const GmmPriorKind prior : {GmmPriorKind::kNone, GmmPriorKind::kSample}) {
      const Matrix<float> data = clusters(6000, 6, 5);
      GmmOptions options = small_options(GetParam(), prior, 11);
      options.init = init;
      options.iterations = 25;
      TensorMap saved[2];
      for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        const GmmFit fit = fit_gmm(options, data, sample_moments(data), Rng(2));
        EXPECT_EQ(fit.mixture.num_components(), 11u);
        EXPECT_GT(fit.objective_per_iteration.size(), 3u);
        EXPECT_TRUE(std::ranges::is_sorted(fit.objective_per_iteration));
        fit.mixture.save(TensorWriter(saved[threads - 1]));
      }
      for (const auto& [name, tensor] : saved[0].tensors)
        EXPECT_EQ(std::memcmp(tensor.data, saved[1].tensors[name].data, tensor.num_bytes), 0)
            << name;
      const Gmm loaded = Gmm::load(TensorReader(saved[0]));
      EXPECT_EQ(loaded.kind(), GetParam());
    }
}

TEST_P(GmmOfKind, FindsTheClustersThatThereAre) {
  const float centres[3][2] = {{0, 0}, {20, 1}, {-3, 25}};
  Matrix<float> data = oracle::normal_matrix(3000, 2, Rng(6));
  for (size_t i = 0; i < data.rows(); ++i)
    for (size_t t = 0; t < 2; ++t)
      data(i, t) = centres[i % 3][t] + (t == 0 ? 2.0f : 1.0f) * data(i, t);
  GmmOptions options = small_options(GetParam(), GmmPriorKind::kNone, 3);
  options.iterations = 20;
  const Gmm mixture = fit_gmm(options, data, sample_moments(data), Rng(3)).mixture;
  for (const auto& centre : centres) {
    double nearest = 1e9;
    for (size_t m = 0; m < 3; ++m)
      nearest = std::min(nearest, std::hypot(mixture.means()(m, 0) - centre[0],
                                             mixture.means()(m, 1) - centre[1]));
    EXPECT_LT(nearest, 0.3);
  }
}

TEST_P(GmmOfKind, DegenerateSamplesGiveFiniteMixtures) {
  Matrix<float> equal(20, 4), one(1, 4), flat = clusters(50, 4, 7);
  for (float& value : equal.values()) value = 3;
  for (size_t i = 0; i < flat.rows(); ++i) flat(i, 2) = 1;
  for (const Matrix<float>* data : {&equal, &one, &flat})
    for (const GmmInit init : {GmmInit::kKMeans, GmmInit::kSplit})
      for (const GmmPriorKind prior : {GmmPriorKind::kNone, GmmPriorKind::kSample}) {
        GmmOptions options = small_options(GetParam(), prior, 6);
        options.init = init;
        const GmmFit fit = fit_gmm(options, *data, sample_moments(*data), Rng(1));
        for (double value : fit.mixture.covariances().values()) EXPECT_TRUE(std::isfinite(value));
        Matrix<float> shares(3, fit.mixture.num_components());
        fit.mixture.posteriors(oracle::normal_matrix(3, 4, Rng(8)), shares);
        for (float value : shares.values()) EXPECT_TRUE(std::isfinite(value));
      }
}

// Far more components than clusters: some die, and take halves of others.
TEST(Gmm, DeadComponentsAreReseeded) {
  Matrix<float> data(400, 1);
  for (size_t i = 0; i < 400; ++i)
    data(i, 0) = static_cast<float>(i % 4) + (i < 4 ? 0.01f * static_cast<float>(i) : 0);
  GmmOptions options = small_options(CovarianceKind::kDiagonal, GmmPriorKind::kNone, 7);
  options.iterations = 20;
  const GmmFit fit = fit_gmm(options, data, sample_moments(data), Rng(1));
  EXPECT_TRUE(std::ranges::is_sorted(fit.objective_per_iteration));
  double total = 0;
  for (double weight : fit.mixture.weights()) total += weight;
  EXPECT_NEAR(total, 1, 1e-6);
}

TEST(Gmm, VariancesKeepTheFloor) {
  const Matrix<float> data = clusters(500, 3, 9);
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    GmmOptions options = small_options(kind, GmmPriorKind::kNone, 8);
    options.floor = 0.5;
    const Moments whole = sample_moments(data);
    const GmmFit fit = fit_gmm(options, data, whole, Rng(1));
    EXPECT_TRUE(std::ranges::is_sorted(fit.objective_per_iteration));
    for (const oracle::Gaussian& part : as_oracle(fit.mixture).parts) {
      const Eigen::MatrixXd above =
          part.covariance -
          0.5 * Eigen::MatrixXd(as_oracle(whole).covariance.diagonal().asDiagonal());
      EXPECT_GT(symmetric_eigenvalues(above)[0], -1e-6);
    }
  }
}

TEST(Gmm, RefusesDamagedFiles) {
  const Matrix<float> data = clusters(100, 3, 1);
  TensorMap map;
  fit_gmm(small_options(CovarianceKind::kFull, GmmPriorKind::kSample), data, sample_moments(data),
          Rng(1))
      .mixture.save(TensorWriter(map));
  TensorWriter(map).put("covariances", Matrix<double>(9, 3));
  EXPECT_THROW(Gmm::load(TensorReader(map)), Error);
}

}  // namespace
}  // namespace muster
