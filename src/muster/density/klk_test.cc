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
          const double naive = oracle::mixture_divergence(mixtures[i], mixtures[j], one_to_one) +
                               oracle::mixture_divergence(mixtures[j], mixtures[i], one_to_one);
          EXPECT_NEAR(ours(i, j), std::exp(-0.7 * std::max(naive, 0.0)), 1e-9);
        }
    }
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
