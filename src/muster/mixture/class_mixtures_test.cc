#include "muster/mixture/class_mixtures.h"

#include <gtest/gtest.h>

#include "muster/core/parallel.h"
#include "muster/mixture/universal.h"
#include "oracle/adapted.h"
#include "support/expect_error.h"
#include "support/random_data.h"

namespace muster {
namespace {

constexpr double kTau = 5;

// Sets of 0 to 12 vectors around a place of their class.
struct Items {
  std::vector<Matrix<float>> sets;
  Labels labels;
};

Matrix<float> set_of(size_t size, size_t d, int label, Rng rng) {
  Matrix<float> out = oracle::normal_matrix(size, d, rng);
  for (size_t i = 0; i < size; ++i)
    out(i, static_cast<size_t>(label) % d) += static_cast<float>(1 + label);
  return out;
}

Items make_items(size_t n, size_t d, int classes) {
  Items out;
  for (int c = 0; c < classes; ++c) out.labels.class_names.push_back(std::to_string(c));
  for (size_t i = 0; i < n; ++i) {
    const int label = static_cast<int>(i) % classes;
    out.sets.push_back(set_of((7 * i) % 13, d, label, Rng(i)));
    out.labels.of_item.push_back({label});
  }
  return out;
}

Gmm mixture_of(CovarianceKind kind, size_t k, size_t d) {
  UniversalOptions options;
  options.components = static_cast<int>(k);
  Matrix<float> sample = oracle::normal_matrix(300, d, Rng(1));
  for (size_t i = 0; i < sample.rows(); ++i) sample(i, i % d) += 3 * static_cast<float>(i % k);
  return fit_universal(options, kind, sample, Rng(1), {}).mixture;
}

ClassMixtures fit(const Gmm& mixture, const Items& items) {
  MixtureSums universal(mixture);
  Matrix<float> sums(items.sets.size(), universal.dim());
  for (size_t i = 0; i < sums.rows(); ++i) universal.of_set(items.sets[i], sums.row(i));
  return ClassMixtures::fit(std::move(universal), sums, items.labels, kTau);
}

Matrix<float> vectors_of_class(const Items& items, int label) {
  Matrix<float> out(0, items.sets[0].cols());
  for (size_t i = 0; i < items.sets.size(); ++i) {
    if (std::ranges::count(items.labels.of_item[i], label) == 0) continue;
    Matrix<float> more(out.rows() + items.sets[i].rows(), out.cols());
    std::ranges::copy(out.values(), more.data());
    std::ranges::copy(items.sets[i].values(), more.data() + out.size());
    out = std::move(more);
  }
  return out;
}

Items without(Items items, size_t item) {
  items.sets.erase(items.sets.begin() + static_cast<long>(item));
  items.labels.of_item.erase(items.labels.of_item.begin() + static_cast<long>(item));
  return items;
}

TensorMap saved(const ClassMixtures& mixtures) {
  TensorMap map;
  mixtures.save(TensorWriter(map));
  return map;
}

void expect_same(const ClassMixtures& a, const ClassMixtures& b) {
  const TensorMap map_a = saved(a), map_b = saved(b);
  EXPECT_EQ(TensorReader(map_a).matrix<double>("shifts"),
            TensorReader(map_b).matrix<double>("shifts"));
  EXPECT_EQ(a.known_scores(), b.known_scores());
}

TEST(ClassMixtures, ScoreIsTheNaiveBoundOfTheLikelihoodRatio) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull})
    for (const size_t d : {1u, 3u, 9u})
      for (const size_t k : {1u, 3u}) {
        const Items items = make_items(24, d, 2);
        const Gmm mixture = mixture_of(kind, k, d);
        const ClassMixtures mixtures = fit(mixture, items);
        const oracle::Mixture universal = oracle::mixture_of(mixture);
        for (int other = 0; other < 4; ++other) {
          const Matrix<float> set = set_of(1 + 9 * static_cast<size_t>(other), d, other, Rng(77));
          double bound = -1e300;
          for (int c = 0; c < 2; ++c) {
            oracle::Mixture adapted = universal;
            const oracle::Mixture all =
                oracle::adapt_step(universal, universal, vectors_of_class(items, c), kTau, false);
            adapted.weights = all.weights;
            for (size_t m = 0; m < k; ++m) adapted.parts[m].mean = all.parts[m].mean;
            const oracle::LikelihoodRatio naive = oracle::likelihood_ratio(universal, adapted, set);
            EXPECT_LE(naive.bound, naive.exact + 1e-9);
            if (k == 1) {
              EXPECT_NEAR(naive.bound, naive.exact, 1e-9);
            }
            bound = std::max(bound, naive.bound);
          }
          EXPECT_NEAR(mixtures.score(set), bound, 1e-4 * (1 + std::abs(bound)))
              << "d=" << d << " k=" << k;
        }
      }
}

TEST(ClassMixtures, KnownScoresAreThoseOfMixturesThatHaveNotSeenTheItem) {
  Items items = make_items(101, 3, 3);  // as many as there are quantiles
  for (size_t i = 0; i < items.sets.size(); i += 10) items.labels.of_item[i] = {0, 2};
  const Gmm mixture = mixture_of(CovarianceKind::kDiagonal, 4, 3);
  std::vector<double> refitted;
  for (size_t i = 0; i < items.sets.size(); ++i)
    refitted.push_back(fit(mixture, without(items, i)).score(items.sets[i]));
  std::ranges::sort(refitted);
  const ClassMixtures mixtures = fit(mixture, items);
  ASSERT_EQ(mixtures.known_scores().size(), refitted.size());
  for (size_t q = 0; q < refitted.size(); ++q)
    EXPECT_NEAR(mixtures.known_scores()[q], refitted[q], 1e-9);
  EXPECT_EQ(mixtures.typicality(refitted.front() - 1), 0);
  EXPECT_EQ(mixtures.typicality(refitted.back() + 1), 1);
  EXPECT_NEAR(mixtures.typicality((refitted[50] + refitted[51]) / 2), 0.505, 1e-6);
}

TEST(ClassMixtures, TheOnlyItemOfAClassLeavesTheUniversalMixture) {
  const Gmm mixture = mixture_of(CovarianceKind::kDiagonal, 3, 4);
  const Items alone{{set_of(20, 4, 1, Rng(3))}, {{"a"}, {{0}}, {}}};
  const ClassMixtures mixtures = fit(mixture, alone);
  EXPECT_EQ(mixtures.known_scores(), std::vector<double>(101, 0.0));
  EXPECT_GT(mixtures.score(alone.sets[0]), 0);
}

TEST(ClassMixtures, WhatHasNoVectorsScoresNothing) {
  const Gmm mixture = mixture_of(CovarianceKind::kFull, 3, 4);
  Items items = make_items(30, 4, 2);
  const ClassMixtures mixtures = fit(mixture, items);
  EXPECT_EQ(mixtures.score(Matrix<float>(0, 4)), 0);
  // A class without vectors does not count, and an item without a label is not known.
  items.labels.class_names.push_back("none");
  items.sets.push_back(Matrix<float>(0, 4));
  items.labels.of_item.push_back({2});
  items.sets.push_back(set_of(9, 4, 2, Rng(1)));
  items.labels.of_item.push_back({});
  EXPECT_EQ(fit(mixture, items).num_classes(), 2u);
  for (auto& labels : items.labels.of_item) labels.clear();
  EXPECT_ERROR(fit(mixture, items), kData, "no item with a label");
}

TEST(ClassMixtures, TheSameForAnyThreadsAndFromAFile) {
  const Gmm mixture = mixture_of(CovarianceKind::kDiagonal, 3, 5);
  const Items items = make_items(70, 5, 3);
  const ClassMixtures mixtures = fit(mixture, items);
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    expect_same(fit(mixture, items), mixtures);
  }
  const TensorMap map = saved(mixtures);
  const ClassMixtures loaded = ClassMixtures::load(MixtureSums(mixture), TensorReader(map));
  expect_same(loaded, mixtures);
  EXPECT_EQ(loaded.score(items.sets[5]), mixtures.score(items.sets[5]));
  EXPECT_ERROR(ClassMixtures::load(MixtureSums(mixture_of(CovarianceKind::kDiagonal, 4, 5)),
                                   TensorReader(map)),
               kData, "another size");
}

}  // namespace
}  // namespace muster
