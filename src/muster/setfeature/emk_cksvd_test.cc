#include "muster/setfeature/emk_cksvd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/setfeature/emk_fourier.h"
#include "support/set_features.h"

namespace muster {
namespace {

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
  const double learned_error = oracle::map_error(
      fit_emk_cksvd(learned, oracle::unlabelled(points), Rng(2), {}), kernel, points);
  const double random_error = oracle::map_error(
      fit_emk_fourier(random, oracle::unlabelled(points), Rng(2), {}), kernel, points);
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
    const SetFeature feature = fit_emk_cksvd(options, oracle::unlabelled(vectors), Rng(4), {});
    EXPECT_LT(oracle::map_error(feature, LocalKernel(options.local), vectors), 1e-4)
        << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace muster
