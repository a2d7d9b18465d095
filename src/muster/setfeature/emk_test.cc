// The maps of EMK against the exact kernels they stand for.
#include <gtest/gtest.h>

#include <cmath>

#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"
#include "muster/setfeature/emk_kpca.h"
#include "muster/setfeature/kernel_codebook.h"
#include "muster/setfeature/kernel_map.h"
#include "support/random_data.h"

namespace muster {
namespace {

Sample sample_of(Matrix<float> vectors) { return Sample{std::move(vectors), {}, 0}; }

std::vector<float> encode(const SetFeature& feature, const VectorSet& set) {
  std::vector<float> out(feature.dim());
  feature.encode(set, out);
  return out;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t t = 0; t < a.size(); ++t) sum += double(a[t]) * b[t];
  return sum;
}

VectorSet one_vector(std::span<const float> values) {
  VectorSet set{Matrix<float>(1, values.size()), {}};
  std::ranges::copy(values, set.vectors.row(0).begin());
  return set;
}

// Mean squared error of the map's dot products over all pairs of vectors.
double map_error(const SetFeature& feature, const LocalKernel& kernel,
                 const Matrix<float>& vectors) {
  std::vector<std::vector<float>> maps;
  for (size_t i = 0; i < vectors.rows(); ++i)
    maps.push_back(encode(feature, one_vector(vectors.row(i))));
  double error = 0;
  for (size_t i = 0; i < maps.size(); ++i)
    for (size_t j = 0; j < maps.size(); ++j)
      error += std::pow(dot(maps[i], maps[j]) - kernel.value(vectors.row(i), vectors.row(j)), 2);
  return error / static_cast<double>(maps.size() * maps.size());
}

double fourier_error(LocalKernelKind kind, int dim, bool orthogonal, uint64_t seed) {
  EmkFourierOptions options;
  options.dim = dim;
  options.orthogonal = orthogonal;
  options.local.kernel = kind;
  options.local.gamma = 0.1;
  const Matrix<float> vectors = oracle::normal_matrix(30, 8, Rng(1));
  return map_error(fit_emk_fourier(options, sample_of(vectors), Rng(seed), {}),
                   LocalKernel(options.local), vectors);
}

TEST(KernelMap, CellsFinishedTogetherAreAsOneByOne) {
  const KernelMap map(LocalKernel(LocalKernelOptions{.gamma = 0.1}),
                      oracle::normal_matrix(19, 5, Rng(1)), oracle::normal_matrix(7, 19, Rng(2)));
  const Matrix<float> sums = oracle::normal_matrix(4, 19, Rng(3));
  const std::vector<size_t> counts = {3, 1, 0, 250};
  Matrix<float> cells = sums;
  std::ranges::fill(cells.row(2), 0.0f);
  Matrix<float> together(4, 7);
  map.finish_cells(cells, counts, together);
  for (size_t c = 0; c < counts.size(); ++c) {
    std::vector<float> alone(7);
    if (counts[c] > 0) map.finish(cells.row(c), counts[c], alone);
    for (size_t t = 0; t < alone.size(); ++t)
      EXPECT_NEAR(together(c, t), alone[t], 1e-5) << c << " " << t;
  }
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
          return map_error(fit_emk_fourier(options, sample_of(vectors), Rng(seed), {}),
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
    const std::vector<float> map = encode(drawn, one_vector(sample.vectors.row(i)));
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
  const std::vector<float> a = encode(drawn, probe), b = encode(kept, probe);
  ASSERT_EQ(b.size(), static_cast<size_t>(kKept));
  for (size_t t = 0; t < b.size(); ++t)
    EXPECT_NEAR(b[t], std::sqrt(kDraws) * a[spread[t].second], 1e-5);
}

TEST(EmkFourier, WithoutLabelsDrawsChangeNothing) {
  const Sample sample = sample_of(oracle::normal_matrix(20, 5, Rng(3)));
  EmkFourierOptions options;
  options.dim = 10;
  options.orthogonal = false;
  const std::vector<float> plain =
      encode(fit_emk_fourier(options, sample, Rng(7), {}), {sample.vectors, {}});
  options.draws = 4;
  EXPECT_EQ(encode(fit_emk_fourier(options, sample, Rng(7), {}), {sample.vectors, {}}), plain);
}

TEST(EmkFourier, RefusesKernelsWithoutAFourierDensity) {
  EmkFourierOptions options;
  options.local.kernel = LocalKernelKind::kIntersection;
  EXPECT_THROW(fit_emk_fourier(options, sample_of(Matrix<float>(3, 2)), Rng(1), {}), Error);
}

// EMK figure 1.
TEST(EmkCksvd, TwentyLearnedMapsBeatTwoHundredRandomOnes) {
  Matrix<float> points(200, 1);
  Rng rng(1);
  for (float& value : points.values()) value = static_cast<float>(rng.uniform(-10, 10));
  EmkCksvdOptions learned;
  learned.basis.dim = 20;
  learned.basis.iterations = 500;
  EmkFourierOptions random;
  random.dim = 200;
  const LocalKernel kernel(learned.local);
  const double learned_error =
      map_error(fit_emk_cksvd(learned, sample_of(points), Rng(2), {}), kernel, points);
  const double random_error =
      map_error(fit_emk_fourier(random, sample_of(points), Rng(2), {}), kernel, points);
  EXPECT_LT(learned_error, random_error);
}

TEST(EmkCksvd, AFullBasisReproducesAnyMercerKernel) {
  Matrix<float> vectors = oracle::normal_matrix(25, 4, Rng(3));
  for (float& value : vectors.values()) value = std::abs(value);
  for (LocalKernelKind kind :
       {LocalKernelKind::kGaussian, LocalKernelKind::kLaplacian, LocalKernelKind::kCauchy,
        LocalKernelKind::kChi2, LocalKernelKind::kIntersection, LocalKernelKind::kPolynomial}) {
    EmkCksvdOptions options;
    options.basis.dim = 25;
    options.basis.iterations = 0;
    options.basis.ridge = 1e-9;
    options.local.kernel = kind;
    options.local.gamma = 0.5;
    const SetFeature feature = fit_emk_cksvd(options, sample_of(vectors), Rng(4), {});
    EXPECT_LT(map_error(feature, LocalKernel(options.local), vectors), 1e-4)
        << static_cast<int>(kind);
  }
}

TEST(EmkKpca, AFullSampleReproducesTheKernel) {
  const Matrix<float> vectors = oracle::normal_matrix(40, 3, Rng(5));
  EmkKpcaOptions options;
  options.dim = 40;
  const SetFeature feature = fit_emk_kpca(options, sample_of(vectors), Rng(6), {});
  EXPECT_LT(map_error(feature, LocalKernel(options.local), vectors), 1e-5);
}

TEST(Emk, SetsMeanTheSumMatchKernel) {
  const VectorSet x = oracle::normal_set(30, 4, Rng(7)), y = oracle::normal_set(17, 4, Rng(8));
  EmkFourierOptions options;
  options.dim = 20000;
  options.local.gamma = 0.2;
  const SetFeature feature = fit_emk_fourier(options, sample_of(x.vectors), Rng(9), {});
  const LocalKernel kernel(options.local);
  double exact = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < y.size(); ++j)
      exact += kernel.value(x.vectors.row(i), y.vectors.row(j)) / (30.0 * 17.0);
  EXPECT_NEAR(dot(encode(feature, x), encode(feature, y)), exact, 0.01);
}

TEST(KernelCodebook, SharesAddUpToOneAndFollowTheFormula) {
  Sample sample = sample_of(oracle::normal_matrix(200, 3, Rng(10)));
  KernelCodebookOptions options;
  options.vocabulary.words = 9;
  options.sigma = 0.7;
  const SetFeature feature = fit_kernel_codebook(options, sample, Rng(11), {});
  TensorMap saved;
  feature.save(TensorWriter(saved));
  const Matrix<float> words = TensorReader(saved).matrix<float>("words");
  const VectorSet set = oracle::normal_set(70, 3, Rng(12));
  std::vector<double> expected(9);
  for (size_t i = 0; i < set.size(); ++i) {
    std::vector<double> weight(9);
    double total = 0;
    for (size_t j = 0; j < 9; ++j) {
      double distance = 0;
      for (size_t t = 0; t < 3; ++t)
        distance += std::pow(double(set.vectors(i, t)) - words(j, t), 2);
      total += weight[j] = std::exp(-distance / (2 * 0.7 * 0.7));
    }
    for (size_t j = 0; j < 9; ++j) expected[j] += weight[j] / total / 70;
  }
  const auto found = encode(feature, set);
  for (size_t j = 0; j < 9; ++j) EXPECT_NEAR(found[j], expected[j], 1e-5);
}

TEST(KernelCodebook, VectorsFarFromAllWordsStayFinite) {
  KernelCodebookOptions options;
  options.vocabulary.words = 4;
  const SetFeature feature =
      fit_kernel_codebook(options, sample_of(oracle::normal_matrix(50, 3, Rng(13))), Rng(14), {});
  VectorSet far{Matrix<float>(2, 3), {}};
  for (float& value : far.vectors.values()) value = 1e4f;
  double total = 0;
  for (float value : encode(feature, far)) total += value;
  EXPECT_NEAR(total, 1, 1e-5);
}

}  // namespace
}  // namespace muster
