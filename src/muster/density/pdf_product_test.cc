#include "muster/density/pdf_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/adapted.h"
#include "oracle/gaussian_kernels.h"
#include "support/set_gaussians.h"

namespace muster {
namespace {

std::shared_ptr<const SetKernel> product(double rho, CovarianceKind kind, size_t d, bool normalise,
                                         double w_cov = 10) {
  const PdfBhattacharyyaOptions options{
      .rho = rho, .normalise = normalise, .gaussian = {.covariance = kind, .w_cov = w_cov}};
  return fit_pdf_bhattacharyya(options, oracle::centred_sample(d), Rng(1), {});
}

TEST(PdfBhattacharyya, EqualsIntegralsInOneAndTwoDimensions) {
  for (const size_t d : {1u, 2u}) {
    const std::vector<VectorSet> sets = oracle::rounded_sets_of(d, 3);
    for (const CovarianceKind kind : oracle::kCovarianceKinds) {
      const std::vector<oracle::Gaussian> gaussians = oracle::map_gaussians(sets, d, kind);
      for (const double rho : {0.5, 0.8}) {
        const Matrix<double> ours = oracle::gram_of(*product(rho, kind, d, rho == 0.5), sets);
        for (size_t i = 0; i < sets.size(); ++i)
          for (size_t j = 0; j <= i; ++j) {
            const double integral =
                oracle::integrate(gaussians[i], gaussians[j],
                                  [&](double a, double b) { return std::exp(rho * (a + b)); });
            EXPECT_NEAR(ours(i, j), integral, 1e-8);
            // The closed form itself, to the accuracy of the integral.
            EXPECT_NEAR(oracle::product_kernel(gaussians[i], gaussians[j], rho), integral, 1e-8);
          }
      }
    }
  }
}

TEST(PdfBhattacharyya, EqualsTheClosedFormInManyDimensions) {
  for (const size_t d : {5u, 23u}) {
    const std::vector<VectorSet> sets = oracle::sets_of(d, 35);
    for (const CovarianceKind kind : oracle::kCovarianceKinds) {
      const std::vector<oracle::Gaussian> gaussians = oracle::map_gaussians(sets, d, kind);
      for (const double rho : {0.5, 1.0, 0.3}) {
        const Matrix<double> ours = oracle::gram_of(*product(rho, kind, d, false), sets);
        for (size_t i = 0; i < sets.size(); i += 3)
          for (size_t j = 0; j < sets.size(); ++j) {
            const double expected = oracle::product_kernel(gaussians[i], gaussians[j], rho);
            EXPECT_NEAR(ours(i, j), expected, 1e-4 * expected) << rho;
          }
      }
    }
  }
}

TEST(PdfBhattacharyya, OfASetWithItselfIsOneForAnyCovariance) {
  for (const std::vector<VectorSet>& sets : oracle::sets_of_all_scales(9, 8))
    for (const CovarianceKind kind : oracle::kCovarianceKinds)
      for (const double w_cov : {0.0, 1e-3, 10.0}) {
        for (const double rho : {0.5, 1.0, 0.2}) {
          const Matrix<double> values = oracle::gram_of(*product(rho, kind, 9, true, w_cov), sets);
          for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(values(i, i), 1, 1e-9);
        }
        const Matrix<double> plain = oracle::gram_of(*product(0.5, kind, 9, false, w_cov), sets);
        for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(plain(i, i), 1, 1e-9);
      }
}

TEST(PdfMixture, SumsOverItsComponents) {
  const std::vector<VectorSet> sets = oracle::sets_of(2, 6);
  for (const CovarianceKind kind : oracle::kCovarianceKinds) {
    PdfMixtureOptions options;
    options.components = 3;
    options.covariance = kind;
    options.normalise = false;
    const auto kernel = fit_pdf_mixture(options, oracle::centred_sample(2), Rng(1), {});
    GmmOptions shape;
    shape.components = 3;
    shape.iterations = 10;
    shape.covariance = kind;
    shape.init = GmmInit::kSplit;
    shape.floor = 1e-4;
    const Moments prior = sample_moments(oracle::centred_sample(2).vectors);
    const Matrix<double> ours = oracle::gram_of(*kernel, sets);
    const auto parts = [&](const VectorSet& set) {
      return oracle::mixture_of(SetMixtures(shape, prior).fit(set));
    };
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = 0; j < sets.size(); ++j) {
        const oracle::Mixture p = parts(sets[i]), q = parts(sets[j]);
        double expected = 0;
        for (size_t a = 0; a < p.weights.size(); ++a)
          for (size_t b = 0; b < q.weights.size(); ++b)
            expected +=
                p.weights[a] * q.weights[b] * oracle::product_kernel(p.parts[a], q.parts[b], 1);
        EXPECT_NEAR(ours(i, j), expected, 1e-7 * expected);
      }
  }
}

// With and without a prior.
TEST(PdfBhattacharyya, StaysFiniteForDegenerateSets) {
  const size_t d = 30;
  for (const CovarianceKind kind : oracle::kCovarianceKinds)
    for (const double w_cov : {0.0, 10.0})
      for (const double rho : {0.5, 1.0}) {
        const Matrix<double> gram =
            oracle::gram_of(*product(rho, kind, d, true, w_cov), oracle::degenerate_sets(d));
        for (double value : gram.values()) EXPECT_TRUE(value >= 0 && value <= 1 + 1e-9) << value;
      }
}

}  // namespace
}  // namespace muster
