#include "muster/mixture/adapt.h"

#include <gtest/gtest.h>

#include "oracle/adapted.h"
#include "support/random_data.h"

namespace muster {
namespace {

Universal universal_of(CovarianceKind kind, size_t k, size_t d) {
  UniversalOptions options;
  options.components = static_cast<int>(k);
  Matrix<float> sample = oracle::normal_matrix(600, d, Rng(1));
  for (size_t i = 0; i < sample.rows(); ++i) sample(i, i % d) += 3 * static_cast<float>(i % k);
  return fit_universal(options, kind, sample, Rng(1), {});
}

void expect_near(const Gmm& ours, const oracle::Mixture& naive, double tolerance) {
  const oracle::Mixture found = oracle::mixture_of(ours);
  for (size_t m = 0; m < naive.weights.size(); ++m) {
    EXPECT_NEAR(found.weights[m], naive.weights[m], tolerance);
    EXPECT_LT((found.parts[m].mean - naive.parts[m].mean).norm(), tolerance);
    EXPECT_LT((found.parts[m].covariance - naive.parts[m].covariance).norm(), tolerance);
  }
}

TEST(Adapt, IsTheNaiveOneForEveryKindSizeAndTau) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull})
    for (const size_t d : {1u, 3u, 9u})
      for (const double tau : {0.5, 10.0, 1000.0})
        for (const size_t size : {1u, 40u, 300u}) {
          const Universal universal = universal_of(kind, 3, d);
          const Matrix<float> data = oracle::normal_matrix(size, d, Rng(size));
          const oracle::Mixture start = oracle::mixture_of(universal.mixture);
          for (const Adapt adapted : {Adapt::kAll, Adapt::kPrinted}) {
            oracle::Mixture naive = start;
            AdaptOptions options{tau, 1, adapted};
            for (options.iterations = 1; options.iterations <= 2; ++options.iterations) {
              naive = oracle::adapt_step(start, naive, data, tau, kind == CovarianceKind::kDiagonal,
                                         adapted == Adapt::kPrinted);
              expect_near(adapt(options, universal, data), naive, 2e-4);
            }
          }
        }
}

TEST(Adapt, WithoutTauIsAStepOfMaximumLikelihood) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    const Universal universal = universal_of(kind, 4, 3);
    const Matrix<float> data = oracle::normal_matrix(500, 3, Rng(5));
    const Gmm adapted = adapt({0, 1, Adapt::kAll}, universal, data);
    const oracle::Mixture start = oracle::mixture_of(universal.mixture);
    const oracle::Gaussian none{Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Zero(3, 3)};
    const oracle::Mixture step =
        oracle::map_em_step(start, data, none, 0, 0, 0, kind == CovarianceKind::kDiagonal);
    const std::vector<double>& floors = universal.floors;
    for (size_t m = 0; m < 4; ++m) {
      EXPECT_NEAR(adapted.weights()[m], step.weights[m], 1e-4);
      for (size_t t = 0; t < 3; ++t) {
        const auto i = static_cast<Eigen::Index>(t);
        EXPECT_NEAR(adapted.means()(m, t), step.parts[m].mean[i], 1e-3);
        if (kind == CovarianceKind::kDiagonal) {
          EXPECT_NEAR(adapted.covariances()(m, t),
                      std::max(step.parts[m].covariance(i, i), floors[t]), 1e-3);
        }
      }
    }
  }
}

TEST(Adapt, WithInfiniteTauIsTheUniversalMixture) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    const Universal universal = universal_of(kind, 4, 3);
    const Gmm adapted =
        adapt({1e12, 3, Adapt::kAll}, universal, oracle::normal_matrix(500, 3, Rng(5)));
    expect_near(adapted, oracle::mixture_of(universal.mixture), 1e-6);
    expect_near(adapt({10, 3, Adapt::kAll}, universal, Matrix<float>(0, 3)),
                oracle::mixture_of(universal.mixture), 0.1);
  }
}

TEST(Adapt, OfMeansLeavesTheRest) {
  const Universal universal = universal_of(CovarianceKind::kDiagonal, 4, 3);
  const Matrix<float> data = oracle::normal_matrix(50, 3, Rng(5));
  const Gmm means = adapt({10, 1, Adapt::kMeans}, universal, data),
            all = adapt({10, 1, Adapt::kAll}, universal, data);
  EXPECT_EQ(means.weights(), universal.mixture.weights());
  EXPECT_EQ(means.covariances(), universal.mixture.covariances());
  EXPECT_EQ(means.means(), all.means());
}

TEST(Adapt, NeverFallsBelowTheFloors) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    const Universal universal = universal_of(kind, 3, 4);
    const Matrix<float> constant(200, 4);
    const Gmm adapted = adapt({0, 5, Adapt::kAll}, universal, constant);
    for (size_t m = 0; m < 3; ++m)
      for (size_t t = 0; t < 4; ++t) {
        const double variance = kind == CovarianceKind::kFull ? adapted.covariance(m)(t, t)
                                                              : adapted.covariances()(m, t);
        EXPECT_GE(variance, universal.floors[t] * (1 - 1e-6));
      }
  }
}

TEST(Universal, KeepsItsFloorsAndSavesExactly) {
  const Universal universal = universal_of(CovarianceKind::kDiagonal, 5, 3);
  for (size_t m = 0; m < universal.mixture.num_components(); ++m)
    for (size_t t = 0; t < 3; ++t)
      EXPECT_GE(universal.mixture.covariances()(m, t), universal.floors[t]);
  TensorMap map;
  universal.save(TensorWriter(map));
  const Universal loaded = Universal::load(TensorReader(map));
  EXPECT_EQ(loaded.floors, universal.floors);
  EXPECT_EQ(loaded.mixture.means(), universal.mixture.means());
  EXPECT_EQ(loaded.mixture.covariances(), universal.mixture.covariances());
}

}  // namespace
}  // namespace muster
