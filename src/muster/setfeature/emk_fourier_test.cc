#include "muster/setfeature/emk_fourier.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/set_features.h"

namespace muster {
namespace {

double fourier_error(LocalKernelKind kind, int dim, bool orthogonal, uint64_t seed) {
  EmkFourierOptions options;
  options.dim = dim;
  options.orthogonal = orthogonal;
  options.local.kernel = kind;
  options.local.gamma = 0.1;
  const Matrix<float> vectors = oracle::normal_matrix(30, 8, Rng(1));
  return oracle::map_error(fit_emk_fourier(options, oracle::unlabelled(vectors), Rng(seed), {}),
                           LocalKernel(options.local), vectors);
}

TEST(EmkFourier, ErrorFallsAsOneOverTheSquareRootOfD) {
  for (LocalKernelKind kind :
       {LocalKernelKind::kGaussian, LocalKernelKind::kLaplacian, LocalKernelKind::kCauchy}) {
    double small = 0, large = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      small += fourier_error(kind, 256, false, seed);
      large += fourier_error(kind, 4096, false, seed);
    }
    // Mean squared errors: 16 times the features, a sixteenth of the error, give or take chance.
    EXPECT_NEAR(std::log2(small / large), 4, 0.8) << static_cast<int>(kind);
    // The variance of 2 cos cos is 1 + k(2x, 2y)/2 - k^2, at most 1.5, and 1 / D of that for the
    // mean of D.
    EXPECT_LT(large / 8, 1.5 / 4096);
  }
}

TEST(EmkFourier, OrthogonalFeaturesErrLess) {
  double plain = 0, orthogonal = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    plain += fourier_error(LocalKernelKind::kGaussian, 128, false, seed);
    orthogonal += fourier_error(LocalKernelKind::kGaussian, 128, true, seed);
  }
  EXPECT_LT(orthogonal, 0.9 * plain);
}

// On vectors of 128 dimensions, where the directions come from fast transforms: the error of plain
// orthogonal ones.
TEST(EmkFourier, HadamardFeaturesErrAsLittleAsOtherOrthogonalOnes) {
  const Matrix<float> vectors = oracle::normal_matrix(30, 128, Rng(1));
  for (const LocalKernelKind kind : {LocalKernelKind::kGaussian, LocalKernelKind::kCauchy})
    for (const int dim : {200, 4096}) {
      double dense = 0, fast = 0, plain = 0;
      for (uint64_t seed = 0; seed < 4; ++seed) {
        const auto error = [&](bool orthogonal, bool hadamard) {
          EmkFourierOptions options;
          options.dim = dim;
          options.orthogonal = orthogonal;
          options.hadamard = hadamard;
          options.local.kernel = kind;
          options.local.gamma = 0.004;
          return oracle::map_error(
              fit_emk_fourier(options, oracle::unlabelled(vectors), Rng(seed), {}),
              LocalKernel(options.local), vectors);
        };
        dense += error(true, false);
        fast += error(true, true);
        plain += error(false, true);
      }
      EXPECT_LT(fast, 1.15 * dense) << dim;
      EXPECT_LT(fast, plain) << dim;
    }
}

// All drawn features by the plain map; of them the D whose class averages vary most, in that order.
TEST(EmkFourier, KeepsTheDrawnFeaturesThatDifferMostBetweenClasses) {
  constexpr int kKept = 10, kDraws = 6, kClasses = 3;
  Sample sample{oracle::normal_matrix(90, 5, Rng(3)), {}, kClasses};
  for (size_t i = 0; i < sample.vectors.rows(); ++i) {
    sample.labels.push_back(static_cast<int>(i) % kClasses);
    sample.vectors(i, 1) += static_cast<float>(sample.labels.back());
  }
  EmkFourierOptions all, best;
  all.dim = kKept * kDraws;
  best.dim = kKept;
  best.draws = kDraws;
  const SetFeature drawn = fit_emk_fourier(all, sample, Rng(7), {});
  const SetFeature kept = fit_emk_fourier(best, sample, Rng(7), {});

  std::vector<std::vector<double>> averages(kClasses, std::vector<double>(drawn.dim()));
  for (size_t i = 0; i < sample.vectors.rows(); ++i) {
    const std::vector<float> map = oracle::encode(drawn, oracle::one_vector(sample.vectors.row(i)));
    for (size_t t = 0; t < map.size(); ++t)
      averages[static_cast<size_t>(sample.labels[i])][t] += map[t];
  }
  std::vector<std::pair<double, size_t>> spread;
  for (size_t t = 0; t < drawn.dim(); ++t) {
    double mean = 0, variance = 0;
    for (const auto& of_class : averages) mean += of_class[t] / kClasses;
    for (const auto& of_class : averages) variance += std::pow(of_class[t] - mean, 2);
    spread.emplace_back(-variance, t);
  }
  std::ranges::sort(spread);
  const VectorSet probe{oracle::normal_matrix(4, 5, Rng(4)), {}};
  const std::vector<float> a = oracle::encode(drawn, probe), b = oracle::encode(kept, probe);
  ASSERT_EQ(b.size(), static_cast<size_t>(kKept));
  for (size_t t = 0; t < b.size(); ++t)
    EXPECT_NEAR(b[t], std::sqrt(kDraws) * a[spread[t].second], 1e-5);
}

TEST(EmkFourier, WithoutLabelsDrawsChangeNothing) {
  const Sample sample = oracle::unlabelled(oracle::normal_matrix(20, 5, Rng(3)));
  EmkFourierOptions options;
  options.dim = 10;
  options.orthogonal = false;
  const std::vector<float> plain =
      oracle::encode(fit_emk_fourier(options, sample, Rng(7), {}), {sample.vectors, {}});
  options.draws = 4;
  EXPECT_EQ(oracle::encode(fit_emk_fourier(options, sample, Rng(7), {}), {sample.vectors, {}}),
            plain);
}

TEST(EmkFourier, RefusesKernelsWithoutAFourierDensity) {
  EmkFourierOptions options;
  options.local.kernel = LocalKernelKind::kIntersection;
  EXPECT_THROW(fit_emk_fourier(options, oracle::unlabelled(Matrix<float>(3, 2)), Rng(1), {}),
               Error);
}

TEST(EmkFourier, VectorsOfSetsGiveTheSumMatchKernel) {
  const VectorSet x = oracle::normal_set(30, 4, Rng(7)), y = oracle::normal_set(17, 4, Rng(8));
  EmkFourierOptions options;
  options.dim = 20000;
  options.local.gamma = 0.2;
  const SetFeature feature = fit_emk_fourier(options, oracle::unlabelled(x.vectors), Rng(9), {});
  const LocalKernel kernel(options.local);
  double exact = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < y.size(); ++j)
      exact += kernel.value(x.vectors.row(i), y.vectors.row(j)) / (30.0 * 17.0);
  EXPECT_NEAR(oracle::dot(oracle::encode(feature, x), oracle::encode(feature, y)), exact, 0.01);
}

}  // namespace
}  // namespace muster
