#include "muster/setfeature/kernel_codebook.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/set_features.h"

namespace muster {
namespace {

TEST(KernelCodebook, SharesAddUpToOneAndFollowTheFormula) {
  Sample sample = oracle::unlabelled(oracle::normal_matrix(200, 3, Rng(10)));
  KernelCodebookOptions options;
  options.vocabulary.words = 9;
  options.sigma = 0.7;
  const SetFeature feature = fit_kernel_codebook(options, sample, Rng(11), {});
  const Matrix<float> words = oracle::words_of(feature);
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
  const auto found = oracle::encode(feature, set);
  for (size_t j = 0; j < 9; ++j) EXPECT_NEAR(found[j], expected[j], 1e-5);
}

TEST(KernelCodebook, VectorsFarFromAllWordsStayFinite) {
  KernelCodebookOptions options;
  options.vocabulary.words = 4;
  const SetFeature feature = fit_kernel_codebook(
      options, oracle::unlabelled(oracle::normal_matrix(50, 3, Rng(13))), Rng(14), {});
  VectorSet far{Matrix<float>(2, 3), {}};
  for (float& value : far.vectors.values()) value = 1e4f;
  double total = 0;
  for (float value : oracle::encode(feature, far)) total += value;
  EXPECT_NEAR(total, 1, 1e-5);
}

}  // namespace
}  // namespace muster
