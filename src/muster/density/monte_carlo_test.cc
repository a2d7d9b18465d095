#include "muster/density/monte_carlo.h"

#include <gtest/gtest.h>

#include "muster/density/klk.h"
#include "muster/density/ppk.h"
#include "support/adapted_sets.h"

namespace muster {
namespace {

TEST(MonteCarlo, AgreesWithClosedFormsOfComponentsThatAreFarApart) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    const Sample sample = oracle::clusters(600, 3, 3, 40);
    const std::vector<VectorSet> sets = oracle::sets_like(3, 3, 3, 40);
    std::vector<Matrix<double>> ppk, klk;
    for (const Mapping mapping : {Mapping::kOneToOne, Mapping::kOneToMany}) {
      PpkOptions product;
      oracle::make_small(product, mapping, Adapt::kAll, kind);
      ppk.push_back(oracle::settled_gram(*fit_ppk(product, sample, Rng(1), {}), sets));
      KlkOptions divergence;
      oracle::make_small(divergence, mapping, Adapt::kAll, kind);
      divergence.gamma = 0.1;
      klk.push_back(oracle::settled_gram(*fit_klk(divergence, sample, Rng(1), {}), sets));
    }
    PpkOptions options;
    oracle::make_small(options, Mapping::kOneToOne, Adapt::kAll, kind);
    const AdaptedSets adapted("ppk", options.sets, sample, Rng(1), {});
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        EXPECT_NEAR(ppk[0](i, j), ppk[1](i, j), 1e-9);
        EXPECT_NEAR(klk[0](i, j), klk[1](i, j), 1e-9);
        const Gmm p = adapted.fit(sets[i]), q = adapted.fit(sets[j]);
        const Draws of_p = draw(p, 4000), of_q = draw(q, 4000);
        const MonteCarlo product = product_by_draws(p, of_p, q, of_q, 0.5);
        EXPECT_NEAR(ppk[0](i, j), product.value, 4 * product.standard_error);
        EXPECT_LT(product.standard_error, 0.02);
        const MonteCarlo divergence = symmetric_divergence_by_draws(p, of_p, q, of_q);
        EXPECT_NEAR(-10 * std::log(klk[0](i, j)), divergence.value, 4 * divergence.standard_error);
      }
  }
}

TEST(MonteCarlo, IsOneForEqualMixturesAndStatesItsError) {
  PpkOptions options;
  oracle::make_small(options, Mapping::kMonteCarlo, Adapt::kAll, CovarianceKind::kDiagonal);
  const AdaptedSets adapted("ppk", options.sets, oracle::clusters(300, 2, 3, 1), Rng(1), {});
  const std::vector<VectorSet> sets = oracle::sets_like(2, 2, 3, 1);
  const Gmm p = adapted.fit(sets[0]), q = adapted.fit(sets[1]);
  const Draws of_p = draw(p, 20000), of_q = draw(q, 20000), few_p = draw(p, 500),
              few_q = draw(q, 500);
  const MonteCarlo same = product_by_draws(p, of_p, p, of_p, 0.5),
                   many = product_by_draws(p, of_p, q, of_q, 0.5),
                   few = product_by_draws(p, few_p, q, few_q, 0.5);
  EXPECT_NEAR(same.value, 1, 1e-6);
  EXPECT_NEAR(few.value, many.value, 4 * std::hypot(few.standard_error, many.standard_error));
  EXPECT_NEAR(few.standard_error / many.standard_error, std::sqrt(20000.0 / 500), 3);
}

}  // namespace
}  // namespace muster
