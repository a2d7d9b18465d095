#include "muster/reduce/pca.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "support/random_data.h"

namespace muster {
namespace {

// Data with variances 9, 4, 1 along the axes and a mean far from the origin.
Sample stretched_sample(size_t n) {
  Sample sample;
  sample.vectors = oracle::normal_matrix(n, 3, Rng(1));
  for (size_t i = 0; i < n; ++i) {
    sample.vectors(i, 0) = 100 + 2 * sample.vectors(i, 0);
    sample.vectors(i, 1) = -50 + 3 * sample.vectors(i, 1);
  }
  return sample;
}

TEST(Pca, FindsTheAxesInOrderOfVariance) {
  const auto pca = fit_pca({.dim = 2}, stretched_sample(20000));
  VectorSet unit{Matrix<float>(2, 3), {}};
  for (size_t i = 0; i < 2; ++i) {
    unit.vectors(i, 0) = 100;
    unit.vectors(i, 1) = -50;
  }
  unit.vectors(0, 1) += 1;
  unit.vectors(1, 0) += 1;
  const VectorSet out = pca->apply(unit);
  EXPECT_NEAR(std::abs(out.vectors(0, 0)), 1, 0.1);
  EXPECT_NEAR(out.vectors(0, 1), 0, 0.1);
  EXPECT_NEAR(std::abs(out.vectors(1, 1)), 1, 0.1);
}

TEST(Pca, FullDimensionPreservesDistancesAndCentres) {
  const Sample sample = stretched_sample(5000);
  const auto pca = fit_pca({.dim = 3}, sample);
  const VectorSet out = pca->apply(VectorSet{sample.vectors, {}});
  double mean = 0;
  for (size_t i = 0; i < out.size(); ++i) mean += out.vectors(i, 0);
  EXPECT_NEAR(mean / static_cast<double>(out.size()), 0, 1e-3);
  for (size_t i = 1; i < 50; ++i) {
    double before = 0, after = 0;
    for (size_t t = 0; t < 3; ++t) {
      before += std::pow(sample.vectors(i, t) - sample.vectors(0, t), 2);
      after += std::pow(out.vectors(i, t) - out.vectors(0, t), 2);
    }
    EXPECT_NEAR(after, before, 1e-3 * (1 + before));
  }
}

TEST(Pca, WhitenedVariancesAreOne) {
  PcaOptions options{.dim = 3};
  options.whiten = true;
  const Sample sample = stretched_sample(20000);
  const VectorSet out = fit_pca(options, sample)->apply(VectorSet{sample.vectors, {}});
  for (size_t t = 0; t < 3; ++t) {
    double squares = 0;
    for (size_t i = 0; i < out.size(); ++i) squares += std::pow(out.vectors(i, t), 2);
    EXPECT_NEAR(squares / static_cast<double>(out.size()), 1, 1e-2);
  }
}

TEST(Pca, SavesAndLoadsExactlyForAnyThreadCount) {
  const Sample sample = stretched_sample(10000);
  TensorMap saved[2];
  for (int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    fit_pca({.dim = 2}, sample)->save(TensorWriter(saved[threads - 1]));
  }
  const VectorSet set{oracle::normal_matrix(9, 3, Rng(4)), {}};
  EXPECT_EQ(load_pca({.dim = 2}, TensorReader(saved[0]))->apply(set),
            load_pca({.dim = 2}, TensorReader(saved[1]))->apply(set));
}

TEST(Pca, RefusesMoreDimensionsThanThereAreAndNoData) {
  EXPECT_THROW(fit_pca({.dim = 4}, stretched_sample(10)), Error);
  Sample none;
  none.vectors = Matrix<float>(0, 3);
  EXPECT_THROW(fit_pca({.dim = 2}, none), Error);
}

TEST(Pca, ConstantVectorsStayFinite) {
  Sample sample;
  sample.vectors = Matrix<float>(10, 3);
  PcaOptions options{.dim = 3};
  options.whiten = true;
  const VectorSet reduced = fit_pca(options, sample)->apply(VectorSet{sample.vectors, {}});
  for (float value : reduced.vectors.values()) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace muster
