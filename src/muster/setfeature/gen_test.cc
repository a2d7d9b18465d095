// gmm-bow, per-category vocabularies in set features, and standardised vectors.
#include <gtest/gtest.h>

#include <cmath>

#include "muster/setfeature/bow.h"
#include "muster/setfeature/gmm_bow.h"
#include "oracle/gmm.h"
#include "support/random_data.h"

namespace muster {
namespace {

Sample sample_of(size_t n, size_t d) {
  Sample sample{oracle::normal_matrix(n, d, Rng(1)), {}, 2};
  for (size_t i = 0; i < n; ++i) {
    sample.labels.push_back(static_cast<int>(i % 2));
    sample.vectors(i, 0) += i % 2 == 0 ? 4.0f : 0.0f;
  }
  return sample;
}

std::vector<float> encode(const SetFeature& feature, const VectorSet& set) {
  std::vector<float> out(feature.dim());
  feature.encode(set, out);
  return out;
}

TEST(GmmBow, IsTheMeanOfNaiveResponsibilities) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    GmmBowOptions options;
    options.vocabulary.components = 5;
    options.vocabulary.covariance = kind;
    options.vocabulary.per_category = true;
    const SetFeature feature = fit_gmm_bow(options, sample_of(500, 3), Rng(1), {});
    TensorMap map;
    feature.save(TensorWriter(map));
    const Gmm mixture = Gmm::load(TensorReader(map));
    oracle::Mixture naive{mixture.weights(), {}};
    for (size_t m = 0; m < mixture.num_components(); ++m) {
      oracle::Gaussian part{Eigen::VectorXd(3), Eigen::MatrixXd::Zero(3, 3)};
      for (Eigen::Index t = 0; t < 3; ++t) {
        part.mean[t] = mixture.means()(m, static_cast<size_t>(t));
        for (Eigen::Index u = 0; u < 3; ++u)
          if (kind == CovarianceKind::kFull)
            part.covariance(t, u) =
                mixture.covariance(m)(static_cast<size_t>(t), static_cast<size_t>(u));
          else if (t == u)
            part.covariance(t, t) = mixture.covariances()(m, static_cast<size_t>(t));
      }
      naive.parts.push_back(part);
    }
    for (const size_t size : {1u, 17u, 700u}) {
      const VectorSet set = oracle::normal_set(size, 3, Rng(size));
      const std::vector<float> ours = encode(feature, set);
      std::vector<double> expected(5);
      for (size_t i = 0; i < size; ++i) {
        const std::vector<double> shares =
            oracle::responsibilities(naive, oracle::vector_of(set.vectors.row(i)));
        for (size_t m = 0; m < 5; ++m) expected[m] += shares[m] / static_cast<double>(size);
      }
      for (size_t m = 0; m < 5; ++m) EXPECT_NEAR(ours[m], expected[m], 2e-5);
    }
  }
}

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
  SetFeature feature = fit_bow(options, sample_of(300, 2), Rng(1), {});
  Matrix<float> training(20, 6);
  for (size_t i = 0; i < 20; ++i) feature.encode(oracle::normal_set(9, 2, Rng(i)), training.row(i));
  const std::vector<float> plain = encode(feature, oracle::normal_set(5, 2, Rng(99)));
  const Standardiser standardiser(training);
  feature = feature.standardised(standardiser);
  std::vector<float> expected = plain;
  standardiser.apply(expected);
  EXPECT_EQ(encode(feature, oracle::normal_set(5, 2, Rng(99))), expected);
  for (float value : encode(feature, VectorSet{Matrix<float>(0, 2), {}})) EXPECT_EQ(value, 0);
  TensorMap map;
  feature.save(TensorWriter(map));
  SetFeature loaded = load_bow(options, TensorReader(map));
  loaded = loaded.standardised(Standardiser::load(TensorReader(map).scope("standardise")));
  EXPECT_EQ(encode(loaded, oracle::normal_set(5, 2, Rng(99))), expected);
}

}  // namespace
}  // namespace muster
