#include "muster/density/klk.h"

#include <gtest/gtest.h>

#include "support/adapted_sets.h"

namespace muster {
namespace {

TEST(Klk, IsTheNaiveDivergence) {
  for (const oracle::AdaptedCase& tested : oracle::kAdaptedCases)
    for (const size_t d : {1u, 4u, 9u}) {
      KlkOptions options;
      oracle::make_small(options, tested.mapping, tested.adapted, tested.kind);
      options.gamma = 0.7;
      const auto kernel = fit_klk(options, oracle::clusters(400, d, 3, 2), Rng(1), {});
      const std::vector<VectorSet> sets = oracle::sets_like(4, d, 3, 2);
      const std::vector<oracle::Mixture> mixtures = oracle::mixtures_of(options, *kernel, sets);
      const Matrix<double> ours = oracle::settled_gram(*kernel, sets);
      const bool one_to_one = tested.mapping == Mapping::kOneToOne;
      for (size_t i = 0; i < sets.size(); ++i)
        for (size_t j = 0; j < sets.size(); ++j) {
          const auto kl = [&](size_t from, size_t to) {
            return oracle::mixture_divergence(mixtures[from], mixtures[to], one_to_one);
          };
          // One-to-one a mixture is at 0 from itself.
          const double naive = kl(i, j) + kl(j, i) - kl(i, i) - kl(j, j);
          EXPECT_NEAR(ours(i, j), std::exp(-0.7 * std::max(naive, 0.0)), 1e-9);
        }
    }
}

// With overlapping Gaussians every divergence by eqs 16-17 is negative if sets are close to the
// universal mixture, and a kernel of these counted as 0 could not tell any two sets apart.
TEST(Klk, OneToManyTellsSetsApartHoweverLargeTauIs) {
  KlkOptions options;
  oracle::make_small(options, Mapping::kOneToMany, Adapt::kAll, CovarianceKind::kDiagonal);
  options.sets.universal.components = 3;
  options.sets.adapt.tau = 1e4;
  Matrix<double> means(3, 2), variances(3, 2);
  for (size_t m = 0; m < 3; ++m) means(m, 0) = 0.3 * static_cast<double>(m);
  for (double& value : variances.values()) value = 1;
  const auto fitted = make_klk(
      options, {Gmm({0.8, 0.15, 0.05}, means, variances, CovarianceKind::kDiagonal), {0.01, 0.01}});
  const std::vector<VectorSet> sets = oracle::sets_like(6, 2, 2, 0.5);
  const std::vector<oracle::Mixture> mixtures = oracle::mixtures_of(options, *fitted, sets);
  EXPECT_LT(oracle::mixture_divergence(mixtures[0], mixtures[1], false), 0);
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(fitted->represent(set));
  const auto candidates = fitted->candidates(represented);
  ASSERT_EQ(candidates.size(), 5u) << "as many widths as one-to-one";
  Matrix<double> gram(6, 6), narrow(6, 6);
  candidates[2]->gram(represented, represented, gram, {});
  double mean = 0;
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(gram(i, i), 1, 1e-9);
    for (size_t j = 0; j < i; ++j) mean += gram(i, j) / 15;
  }
  EXPECT_GT(mean, 0.1);
  EXPECT_LT(mean, 0.9);
  // Candidates share their divergences.
  candidates[4]->gram(represented, represented, narrow, {});
  ASSERT_TRUE(candidates[4]->from_values_of(*candidates[2], gram));
  for (size_t i = 0; i < gram.size(); ++i) EXPECT_NEAR(gram.data()[i], narrow.data()[i], 1e-12);
}

TEST(Klk, OfASetWithItselfIsOneInSpiteOfDistantVectors) {
  KlkOptions options;
  oracle::make_small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal);
  options.gamma = 1;
  Sample sample = oracle::clusters(400, 30, 3, 2);
  std::vector<VectorSet> sets = oracle::sets_like(3, 30, 3, 2);
  for (float& value : sample.vectors.values()) value += 100;
  for (VectorSet& set : sets)
    for (float& value : set.vectors.values()) value += 100;
  const Matrix<double> gram = oracle::settled_gram(*fit_klk(options, sample, Rng(1), {}), sets);
  for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(gram(i, i), 1, 1e-8);
}

}  // namespace
}  // namespace muster
