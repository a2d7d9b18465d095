#include "muster/density/ppk.h"

#include <gtest/gtest.h>

#include "oracle/gaussian_kernels.h"
#include "support/adapted_sets.h"

namespace muster {
namespace {

TEST(Ppk, IsTheNaiveSumOverPairsOfGaussians) {
  for (const oracle::AdaptedCase& tested : oracle::kAdaptedCases)
    for (const double rho : {0.5, 1.0})
      for (const size_t d : {1u, 4u, 9u}) {
        PpkOptions options;
        oracle::make_small(options, tested.mapping, tested.adapted, tested.kind);
        options.rho = rho;
        options.normalise = false;
        const auto kernel = fit_ppk(options, oracle::clusters(400, d, 3, 2), Rng(1), {});
        const std::vector<VectorSet> sets = oracle::sets_like(4, d, 3, 2);
        const std::vector<oracle::Mixture> mixtures = oracle::mixtures_of(options, *kernel, sets);
        const Matrix<double> ours = oracle::settled_gram(*kernel, sets);
        for (size_t i = 0; i < sets.size(); ++i)
          for (size_t j = 0; j < sets.size(); ++j) {
            const double naive = oracle::mixture_product(mixtures[i], mixtures[j], rho,
                                                         tested.mapping == Mapping::kOneToOne);
            EXPECT_NEAR(ours(i, j), naive, 1e-7 * naive);
          }
      }
}

TEST(Ppk, MatchedIsTheNaiveSumOverMatchedGaussians) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull})
    for (const bool normalised : {false, true})
      for (const size_t d : {1u, 4u, 9u}) {
        PpkOptions options;
        oracle::make_small(options, Mapping::kMatched, Adapt::kAll, kind);
        options.normalise = normalised;
        const auto kernel = fit_ppk(options, oracle::clusters(400, d, 3, 2), Rng(1), {});
        const std::vector<VectorSet> sets = oracle::sets_like(4, d, 3, 2);
        const std::vector<oracle::Mixture> mixtures = oracle::mixtures_of(options, *kernel, sets);
        const Matrix<double> ours = oracle::settled_gram(*kernel, sets);
        const auto naive = [&](size_t i, size_t j) {
          return oracle::matched_product(mixtures[i], mixtures[j], 0.5);
        };
        for (size_t i = 0; i < sets.size(); ++i)
          for (size_t j = 0; j < sets.size(); ++j) {
            const double norm = normalised ? std::sqrt(naive(i, i) * naive(j, j)) : 1;
            EXPECT_NEAR(ours(i, j), naive(i, j) / norm, 1e-7 * naive(i, j) / norm);
          }
      }
}

// Far from each other, a Gaussian's match is its counterpart.
TEST(Ppk, MatchedIsOneToOneIfGaussiansLieFarApart) {
  Matrix<double> grams[2];
  for (const Mapping mapping : {Mapping::kOneToOne, Mapping::kMatched}) {
    PpkOptions options;
    oracle::make_small(options, mapping, Adapt::kAll, CovarianceKind::kDiagonal);
    const auto kernel = fit_ppk(options, oracle::clusters(400, 4, 3, 50), Rng(1), {});
    grams[mapping == Mapping::kMatched] =
        oracle::settled_gram(*kernel, oracle::sets_like(4, 4, 3, 50));
  }
  for (size_t i = 0; i < grams[0].size(); ++i)
    EXPECT_NEAR(grams[0].data()[i], grams[1].data()[i], 1e-9);
}

TEST(Ppk, OfTwoGaussiansIsTheIntegral) {
  for (const double rho : {0.5, 0.8, 1.0}) {
    PpkOptions options;
    oracle::make_small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kFull);
    options.sets.universal.components = 1;
    options.rho = rho;
    options.normalise = false;
    const auto kernel = fit_ppk(options, oracle::clusters(300, 2, 2, 1), Rng(1), {});
    const std::vector<VectorSet> sets = oracle::sets_like(2, 2, 2, 1);
    const std::vector<oracle::Mixture> mixtures = oracle::mixtures_of(options, *kernel, sets);
    const double integral = oracle::integrate(
        mixtures[0].parts[0], mixtures[1].parts[0],
        [&](double log_p, double log_q) { return std::exp(rho * (log_p + log_q)); });
    EXPECT_NEAR(oracle::settled_gram(*kernel, sets)(0, 1), integral, 1e-7 * integral);
  }
}

}  // namespace
}  // namespace muster
