#include "muster/setfeature/fisher.h"

#include <gtest/gtest.h>

#include "oracle/adapted.h"
#include "support/set_features.h"

namespace muster {
namespace {

// Means and variances of component m, one vector after the other.
std::vector<double> naive_fisher(const oracle::Mixture& mixture, const VectorSet& set) {
  const size_t d = set.dim();
  std::vector<double> out(2 * mixture.weights.size() * d);
  for (size_t i = 0; i < set.size(); ++i) {
    const Eigen::VectorXd x = oracle::vector_of(set.vectors.row(i));
    const std::vector<double> shares = oracle::responsibilities(mixture, x);
    for (size_t m = 0; m < shares.size(); ++m)
      for (size_t t = 0; t < d; ++t) {
        const auto e = static_cast<Eigen::Index>(t);
        const double off =
            (x[e] - mixture.parts[m].mean[e]) / std::sqrt(mixture.parts[m].covariance(e, e));
        const double share =
            shares[m] / static_cast<double>(set.size()) / std::sqrt(mixture.weights[m]);
        out[2 * m * d + t] += share * off;
        out[(2 * m + 1) * d + t] += share * (off * off - 1) / std::sqrt(2.0);
      }
  }
  return out;
}

void normalise(std::vector<double>& values) {
  double norm = 0;
  for (double& value : values) {
    value = std::copysign(std::sqrt(std::abs(value)), value);
    norm += value * value;
  }
  for (double& value : values) value /= std::sqrt(norm);
}

TEST(Fisher, IsTheNaiveGradientOnAnySize) {
  for (const size_t d : {1u, 3u, 17u})
    for (const int components : {1, 4, 9})
      for (const bool normalised : {false, true}) {
        FisherOptions options;
        options.universal.components = components;
        if (!normalised) options.pooling = {};
        const SetFeature feature =
            fit_fisher(options, oracle::clustered_sample(500, d, 3), Rng(1), {});
        const oracle::Mixture mixture = oracle::mixture_of(feature.universal()->mixture);
        for (const size_t size : {1u, 7u, 300u}) {
          const VectorSet set = oracle::normal_set(size, d, Rng(size));
          std::vector<double> expected = naive_fisher(mixture, set);
          if (normalised) normalise(expected);
          const std::vector<float> ours = oracle::encode(feature, set);
          double difference = 0, norm = 0;
          for (size_t t = 0; t < ours.size(); ++t) {
            difference += (ours[t] - expected[t]) * (ours[t] - expected[t]);
            norm += expected[t] * expected[t];
          }
          // Responsibilities are exponentials in single precision; roots of values near 0 magnify
          // that.
          EXPECT_LT(std::sqrt(difference / norm), normalised ? 5e-3 : 1e-4)
              << d << ", " << components << ", " << size;
        }
      }
}

TEST(Fisher, OfTheSampleThatTheMixtureFitsIsNearZero) {
  FisherOptions options;
  options.universal.components = 3;
  options.universal.em_iterations = 500;
  options.pooling = {};
  const Sample sample = oracle::clustered_sample(3000, 2, 3);
  const SetFeature feature = fit_fisher(options, sample, Rng(1), {});
  for (float value : oracle::encode(feature, {sample.vectors, {}})) EXPECT_NEAR(value, 0, 0.02);
}

TEST(Fisher, RefusesAMixtureOfAnotherSize) {
  FisherOptions options;
  options.universal.components = 3;
  const Universal universal =
      *fit_fisher(options, oracle::clustered_sample(200, 2, 3), Rng(1), {}).universal();
  EXPECT_EQ(make_fisher(options, universal).dim(), 12u);
  options.universal.components = 4;
  EXPECT_THROW(make_fisher(options, universal), Error);
}

}  // namespace
}  // namespace muster
