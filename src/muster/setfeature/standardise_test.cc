#include "muster/setfeature/standardise.h"

#include <gtest/gtest.h>

#include "muster/setfeature/bow.h"
#include "support/set_features.h"

namespace muster {
namespace {

TEST(Standardise, GivesZeroMeanAndUnitVarianceAndZeroForConstants) {
  Matrix<float> training = oracle::normal_matrix(200, 3, Rng(2));
  for (size_t i = 0; i < 200; ++i) {
    training(i, 0) = 7 + 0.01f * training(i, 0);
    training(i, 2) = 0.1f;
  }
  const Standardiser standardiser(training);
  Matrix<float> out = training;
  for (size_t i = 0; i < 200; ++i) standardiser.apply(out.row(i));
  for (size_t t = 0; t < 2; ++t) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 200; ++i) {
      sum += out(i, t);
      squares += static_cast<double>(out(i, t)) * out(i, t);
    }
    EXPECT_NEAR(sum / 200, 0, 1e-4);
    EXPECT_NEAR(squares / 200, 1, 1e-3);
  }
  std::vector<float> other{7, 0, 99};
  standardiser.apply(other);
  EXPECT_EQ(other[2], 0);
}

TEST(Standardise, IsPartOfTheFeatureAndLeavesEmptySetsZero) {
  BowOptions options;
  options.vocabulary.words = 6;
  SetFeature feature = fit_bow(options, oracle::clustered_sample(300, 2, 2), Rng(1), {});
  Matrix<float> training(20, 6);
  for (size_t i = 0; i < 20; ++i) feature.encode(oracle::normal_set(9, 2, Rng(i)), training.row(i));
  const std::vector<float> plain = oracle::encode(feature, oracle::normal_set(5, 2, Rng(99)));
  const Standardiser standardiser(training);
  feature = feature.standardised(standardiser);
  std::vector<float> expected = plain;
  standardiser.apply(expected);
  EXPECT_EQ(oracle::encode(feature, oracle::normal_set(5, 2, Rng(99))), expected);
  for (float value : oracle::encode(feature, VectorSet{Matrix<float>(0, 2), {}}))
    EXPECT_EQ(value, 0);
  TensorMap map;
  feature.save(TensorWriter(map));
  SetFeature loaded = load_bow(options, TensorReader(map));
  loaded = loaded.standardised(Standardiser::load(TensorReader(map).scope("standardise")));
  EXPECT_EQ(oracle::encode(loaded, oracle::normal_set(5, 2, Rng(99))), expected);
}

}  // namespace
}  // namespace muster
