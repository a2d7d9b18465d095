#include "muster/mixture/coarse_gmm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/simd/mixture_simd.h"
#include "support/random_data.h"

namespace muster {
namespace {

// Components at random places, `apart` standard deviations from the middle in every dimension.
Gmm mixture(size_t k, size_t d, double apart, double deviation = 1) {
  Matrix<double> means(k, d), variances(k, d);
  Rng rng(k + d);
  for (double& value : means.values()) value = 5 + apart * rng.normal();
  for (double& value : variances.values())
    value = deviation * deviation * std::exp(0.3 * rng.normal());
  return {std::vector<double>(k, 1 / static_cast<double>(k)), std::move(means),
          std::move(variances), CovarianceKind::kDiagonal};
}

// Vectors drawn around the components, so that several may share one.
Matrix<float> vectors_of(const Gmm& mixture, size_t n, double deviation) {
  Matrix<float> out = oracle::normal_matrix(n, mixture.dim(), Rng(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < mixture.dim(); ++t)
      out(i, t) = static_cast<float>(mixture.means()(i % mixture.num_components(), t) +
                                     deviation * out(i, t));
  return out;
}

bool coarse_posteriors(const CoarseGmm& coarse, const Gmm& mixture, const Matrix<float>& vectors,
                       Matrix<float>& shares, std::vector<float>& log_densities) {
  Matrix<float> block(vectors.rows(), 2 * vectors.cols());
  centre_and_square(vectors, mixture.origin(), block);
  shares = Matrix<float>(vectors.rows(), coarse.padded());
  log_densities.resize(vectors.rows());
  return coarse.posteriors(block, shares, log_densities);
}

TEST(CoarseGmm, PosteriorsAreThoseOfTheMixture) {
  for (const size_t k : {32u, 50u, 64u})
    for (const size_t d : {16u, 33u, 64u}) {
      const Gmm fine = mixture(k, d, 8 / std::sqrt(static_cast<double>(d)));
      const std::optional<CoarseGmm> coarse = CoarseGmm::of(fine);
      ASSERT_TRUE(coarse);
      Matrix<float> vectors = vectors_of(fine, 200, 1.2), shares;
      vectors(7, 0) = 1e4f;  // out of the integers' range
      std::vector<float> log_densities, expected_logs(200);
      ASSERT_TRUE(coarse_posteriors(*coarse, fine, vectors, shares, log_densities))
          << k << " " << d;
      Matrix<float> expected(200, k);
      fine.posteriors(vectors, expected, expected_logs);
      for (size_t i = 0; i < 200; ++i) {
        if (i == 7) continue;  // single precision cannot tell its components apart
        EXPECT_NEAR(log_densities[i], expected_logs[i], 1e-4 * (1 + std::abs(expected_logs[i])));
        for (size_t m = 0; m < k; ++m) {
          EXPECT_NEAR(shares(i, m), expected(i, m), 1e-4);
          if (expected(i, m) < 1e-3f && expected(i, m) > 1e-12f) {
            EXPECT_NEAR(std::log(shares(i, m) / expected(i, m)), 0, 0.2);
          }
        }
      }
    }
}

TEST(CoarseGmm, SaysNoIfItDoesNotPay) {
  EXPECT_FALSE(CoarseGmm::of(mixture(8, 64, 1)));
  EXPECT_FALSE(CoarseGmm::of(mixture(64, 3, 1)));
  // Components far narrower than the mixture: integers would be too coarse.
  EXPECT_FALSE(CoarseGmm::of(mixture(64, 32, 1, 1e-4)));
  // All components share all vectors.
  const Gmm alike = mixture(64, 32, 1e-3);
  const std::optional<CoarseGmm> coarse = CoarseGmm::of(alike);
  ASSERT_TRUE(coarse);
  Matrix<float> shares;
  std::vector<float> log_densities;
  EXPECT_FALSE(coarse_posteriors(*coarse, alike, vectors_of(alike, 100, 1), shares, log_densities));
}

// The statistics that Fisher vectors and EM rest on, against sums in double precision.
TEST(CoarseGmm, StatisticsLoseNoMoreThanWhatIsNegligible) {
  const Gmm fine = mixture(64, 32, 1);
  const std::optional<CoarseGmm> coarse = CoarseGmm::of(fine);
  ASSERT_TRUE(coarse);
  const Matrix<float> vectors = vectors_of(fine, 3000, 1.2);
  GmmStatistics ours(64, 32, CovarianceKind::kDiagonal);
  ours.add(fine, vectors, &*coarse);
  Matrix<float> shares(3000, 64);
  fine.posteriors(vectors, shares);
  double off = 0, norm = 0;
  for (size_t m = 0; m < 64; ++m)
    for (size_t t = 0; t < 32; ++t) {
      double sum = 0;
      for (size_t i = 0; i < 3000; ++i)
        sum += static_cast<double>(shares(i, m)) * (vectors(i, t) - fine.origin()[t]);
      off += std::pow(ours.sums(m, t) - sum, 2);
      norm += sum * sum;
    }
  EXPECT_LT(std::sqrt(off / norm), 1e-4);
}

}  // namespace
}  // namespace muster
