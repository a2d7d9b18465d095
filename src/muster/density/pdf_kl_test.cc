#include "muster/density/pdf_kl.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/gaussian_kernels.h"
#include "support/set_gaussians.h"

namespace muster {
namespace {

std::shared_ptr<const SetKernel> divergence(CovarianceKind kind, size_t d, double alpha,
                                            double w_cov = 10) {
  const PdfKlOptions options{.alpha = alpha, .gaussian = {.covariance = kind, .w_cov = w_cov}};
  return fit_pdf_kl(options, oracle::centred_sample(d), Rng(1), {});
}

TEST(PdfKl, EqualsIntegralsInOneAndTwoDimensions) {
  for (const size_t d : {1u, 2u}) {
    const std::vector<VectorSet> sets = oracle::rounded_sets_of(d, 3);
    for (const CovarianceKind kind : oracle::kCovarianceKinds) {
      const std::vector<oracle::Gaussian> gaussians = oracle::map_gaussians(sets, d, kind);
      const Matrix<double> ours = oracle::gram_of(*divergence(kind, d, 0.05), sets);
      for (size_t i = 0; i < sets.size(); ++i)
        for (size_t j = 0; j <= i; ++j) {
          const double both = oracle::integrate(gaussians[i], gaussians[j], [](double a, double b) {
            return (std::exp(a) - std::exp(b)) * (a - b);
          });
          EXPECT_NEAR(ours(i, j), std::exp(-0.05 * both), 1e-8);
          // The closed form itself, to the accuracy of the integral.
          EXPECT_NEAR(oracle::symmetric_divergence(gaussians[i], gaussians[j]), both,
                      1e-8 * (1 + both));
        }
    }
  }
}

TEST(PdfKl, EqualsTheClosedFormInManyDimensions) {
  for (const size_t d : {5u, 23u}) {
    const std::vector<VectorSet> sets = oracle::sets_of(d, 35);
    for (const CovarianceKind kind : oracle::kCovarianceKinds) {
      const std::vector<oracle::Gaussian> gaussians = oracle::map_gaussians(sets, d, kind);
      const Matrix<double> ours = oracle::gram_of(*divergence(kind, d, 0.1), sets);
      for (size_t i = 0; i < sets.size(); i += 3)
        for (size_t j = 0; j < sets.size(); ++j)
          EXPECT_NEAR(ours(i, j),
                      std::exp(-0.1 * oracle::symmetric_divergence(gaussians[i], gaussians[j])),
                      1e-4);
    }
  }
}

TEST(PdfKl, OfASetWithItselfIsOneForAnyCovariance) {
  for (const std::vector<VectorSet>& sets : oracle::sets_of_all_scales(9, 8))
    for (const CovarianceKind kind : oracle::kCovarianceKinds)
      for (const double w_cov : {0.0, 1e-3, 10.0}) {
        const Matrix<double> values = oracle::gram_of(*divergence(kind, 9, 1, w_cov), sets);
        for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(values(i, i), 1, 1e-6);
      }
}

// With and without a prior.
TEST(PdfKl, StaysFiniteForDegenerateSets) {
  const size_t d = 30;
  for (const CovarianceKind kind : oracle::kCovarianceKinds)
    for (const double w_cov : {0.0, 10.0}) {
      const Matrix<double> gram =
          oracle::gram_of(*divergence(kind, d, 0.08, w_cov), oracle::degenerate_sets(d));
      for (double value : gram.values()) EXPECT_TRUE(value >= 0 && value <= 1 + 1e-9) << value;
    }
}

}  // namespace
}  // namespace muster
