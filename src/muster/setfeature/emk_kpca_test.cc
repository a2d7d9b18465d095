#include "muster/setfeature/emk_kpca.h"

#include <gtest/gtest.h>

#include "support/set_features.h"

namespace muster {
namespace {

TEST(EmkKpca, AFullSampleReproducesTheKernel) {
  const Matrix<float> vectors = oracle::normal_matrix(40, 3, Rng(5));
  EmkKpcaOptions options;
  options.dim = 40;
  const SetFeature feature = fit_emk_kpca(options, oracle::unlabelled(vectors), Rng(6), {});
  EXPECT_LT(oracle::map_error(feature, LocalKernel(options.local), vectors), 1e-5);
}

}  // namespace
}  // namespace muster
