// ppk and klk: kernels between mixtures adapted from a universal one.
#include <gtest/gtest.h>

#include "muster/density/klk.h"
#include "muster/density/monte_carlo.h"
#include "muster/density/ppk.h"
#include "oracle/adapted.h"
#include "support/random_data.h"

namespace muster {
namespace {

// k clusters, `apart` standard deviations from each other along the first dimension.
Sample clusters(size_t n, size_t d, size_t k, double apart) {
  Sample sample{oracle::normal_matrix(n, d, Rng(1)), {}, 0};
  for (size_t i = 0; i < n; ++i)
    sample.vectors(i, 0) += static_cast<float>(apart * static_cast<double>(i % k));
  return sample;
}

std::vector<VectorSet> sets_like(size_t count, size_t d, size_t k, double apart) {
  std::vector<VectorSet> out;
  for (size_t s = 0; s < count; ++s) {
    VectorSet set = oracle::normal_set(20 + 30 * s, d, Rng(s));
    for (size_t i = 0; i < set.size(); ++i) {
      set.vectors(i, 0) += static_cast<float>(apart * static_cast<double>((i + i / k * s) % k));
      set.vectors(i, d - 1) += 0.3f * static_cast<float>(s);
    }
    out.push_back(std::move(set));
  }
  return out;
}

template <class Options>
void small(Options& options, Mapping mapping, Adapt adapted, CovarianceKind kind) {
  options.sets.universal.components = 3;
  options.sets.universal.em_iterations = 5;
  options.sets.universal.init = GmmInit::kKMeans;  // finds clusters that are far apart
  options.sets.mapping = mapping;
  options.sets.adapt.adapt = adapted;
  options.sets.covariance = kind;
  options.sets.draws = 4000;
}

Matrix<double> gram_of(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  Matrix<double> out(sets.size(), sets.size());
  kernel.candidates(represented)[0]->gram(represented, represented, out, {});
  return out;
}

// The sets' mixtures as the kernel sees them.
template <class Options>
std::vector<oracle::Mixture> mixtures_of(const Options& options, const SetKernel& kernel,
                                         const std::vector<VectorSet>& sets) {
  TensorMap map;
  kernel.save(TensorWriter(map));
  const AdaptedSets adapted = AdaptedSets::load(options.sets, TensorReader(map));
  std::vector<oracle::Mixture> out;
  for (const VectorSet& set : sets) out.push_back(oracle::mixture_of(adapted.fit(set)));
  return out;
}

struct Case {
  Mapping mapping;
  Adapt adapted;
  CovarianceKind kind;
};
const Case kCases[] = {{Mapping::kOneToOne, Adapt::kMeans, CovarianceKind::kDiagonal},
                       {Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal},
                       {Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kFull},
                       {Mapping::kOneToMany, Adapt::kMeans, CovarianceKind::kDiagonal},
                       {Mapping::kOneToMany, Adapt::kAll, CovarianceKind::kDiagonal},
                       {Mapping::kOneToMany, Adapt::kAll, CovarianceKind::kFull}};

TEST(Ppk, IsTheNaiveSumOverPairsOfGaussians) {
  for (const Case& tested : kCases)
    for (const double rho : {0.5, 1.0})
      for (const size_t d : {1u, 4u, 9u}) {
        PpkOptions options;
        small(options, tested.mapping, tested.adapted, tested.kind);
        options.rho = rho;
        options.normalise = false;
        const auto kernel = fit_ppk(options, clusters(400, d, 3, 2), Rng(1), {});
        const std::vector<VectorSet> sets = sets_like(4, d, 3, 2);
        const std::vector<oracle::Mixture> mixtures = mixtures_of(options, *kernel, sets);
        const Matrix<double> ours = gram_of(*kernel, sets);
        for (size_t i = 0; i < sets.size(); ++i)
          for (size_t j = 0; j < sets.size(); ++j) {
            const double naive = oracle::mixture_product(mixtures[i], mixtures[j], rho,
                                                         tested.mapping == Mapping::kOneToOne);
            EXPECT_NEAR(ours(i, j), naive, 1e-7 * naive);
          }
      }
}

TEST(Klk, IsTheNaiveDivergence) {
  for (const Case& tested : kCases)
    for (const size_t d : {1u, 4u, 9u}) {
      KlkOptions options;
      small(options, tested.mapping, tested.adapted, tested.kind);
      options.gamma = 0.7;
      const auto kernel = fit_klk(options, clusters(400, d, 3, 2), Rng(1), {});
      const std::vector<VectorSet> sets = sets_like(4, d, 3, 2);
      const std::vector<oracle::Mixture> mixtures = mixtures_of(options, *kernel, sets);
      const Matrix<double> ours = gram_of(*kernel, sets);
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
  small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal);
  options.gamma = 1;
  Sample sample = clusters(400, 30, 3, 2);
  std::vector<VectorSet> sets = sets_like(3, 30, 3, 2);
  for (float& value : sample.vectors.values()) value += 100;
  for (VectorSet& set : sets)
    for (float& value : set.vectors.values()) value += 100;
  const Matrix<double> gram = gram_of(*fit_klk(options, sample, Rng(1), {}), sets);
  for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(gram(i, i), 1, 1e-8);
}

TEST(Ppk, OfTwoGaussiansIsTheIntegral) {
  for (const double rho : {0.5, 0.8, 1.0}) {
    PpkOptions options;
    small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kFull);
    options.sets.universal.components = 1;
    options.rho = rho;
    options.normalise = false;
    const auto kernel = fit_ppk(options, clusters(300, 2, 2, 1), Rng(1), {});
    const std::vector<VectorSet> sets = sets_like(2, 2, 2, 1);
    const std::vector<oracle::Mixture> mixtures = mixtures_of(options, *kernel, sets);
    const double integral = oracle::integrate(
        mixtures[0].parts[0], mixtures[1].parts[0],
        [&](double log_p, double log_q) { return std::exp(rho * (log_p + log_q)); });
    EXPECT_NEAR(gram_of(*kernel, sets)(0, 1), integral, 1e-7 * integral);
  }
}

TEST(UniversalKernels, AgreeWithEachOtherAndWithDrawsWhereComponentsAreFarApart) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    const Sample sample = clusters(600, 3, 3, 40);
    const std::vector<VectorSet> sets = sets_like(3, 3, 3, 40);
    std::vector<Matrix<double>> ppk, klk;
    for (const Mapping mapping : {Mapping::kOneToOne, Mapping::kOneToMany}) {
      PpkOptions product;
      small(product, mapping, Adapt::kAll, kind);
      ppk.push_back(gram_of(*fit_ppk(product, sample, Rng(1), {}), sets));
      KlkOptions divergence;
      small(divergence, mapping, Adapt::kAll, kind);
      divergence.gamma = 0.1;
      klk.push_back(gram_of(*fit_klk(divergence, sample, Rng(1), {}), sets));
    }
    PpkOptions options;
    small(options, Mapping::kOneToOne, Adapt::kAll, kind);
    const AdaptedSets adapted(options.sets, sample, Rng(1), {});
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

TEST(MonteCarloKernels, AreOneForEqualMixturesAndStateTheirError) {
  PpkOptions options;
  small(options, Mapping::kMonteCarlo, Adapt::kAll, CovarianceKind::kDiagonal);
  const AdaptedSets adapted(options.sets, clusters(300, 2, 3, 1), Rng(1), {});
  const std::vector<VectorSet> sets = sets_like(2, 2, 3, 1);
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

TEST(UniversalKernels, RefuseOneToOneBetweenMixturesOfSetsAlone) {
  PpkOptions options;
  small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal);
  options.sets.estimate = Estimate::kMle;
  EXPECT_THROW(fit_ppk(options, clusters(300, 2, 3, 1), Rng(1), {}), Error);
  options.sets.mapping = Mapping::kOneToMany;
  std::vector<VectorSet> sets = sets_like(3, 2, 3, 1);
  sets.push_back(VectorSet{Matrix<float>(0, 2), {}});
  sets.push_back(oracle::normal_set(1, 2, Rng(9)));
  const Matrix<double> gram = gram_of(*fit_ppk(options, clusters(300, 2, 3, 1), Rng(1), {}), sets);
  for (double value : gram.values()) EXPECT_TRUE(value >= 0 && value <= 1 + 1e-9) << value;
}

}  // namespace
}  // namespace muster
