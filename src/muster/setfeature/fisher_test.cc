// fisher, supervector and vlad: what sets say about a universal mixture or a vocabulary.
#include "muster/setfeature/fisher.h"

#include <gtest/gtest.h>

#include "muster/setfeature/supervector.h"
#include "muster/setfeature/vlad.h"
#include "oracle/adapted.h"
#include "support/random_data.h"

namespace muster {
namespace {

Sample sample_of(size_t n, size_t d) {
  Sample sample{oracle::normal_matrix(n, d, Rng(1)), {}, 0};
  for (size_t i = 0; i < n; ++i) sample.vectors(i, 0) += 4 * static_cast<float>(i % 3);
  return sample;
}

std::vector<float> encode(const SetFeature& feature, const VectorSet& set) {
  std::vector<float> out(feature.dim());
  feature.encode(set, out);
  return out;
}

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
        const SetFeature feature = fit_fisher(options, sample_of(500, d), Rng(1), {});
        const oracle::Mixture mixture = oracle::mixture_of(feature.universal()->mixture);
        for (const size_t size : {1u, 7u, 300u}) {
          const VectorSet set = oracle::normal_set(size, d, Rng(size));
          std::vector<double> expected = naive_fisher(mixture, set);
          if (normalised) normalise(expected);
          const std::vector<float> ours = encode(feature, set);
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
  const Sample sample = sample_of(3000, 2);
  const SetFeature feature = fit_fisher(options, sample, Rng(1), {});
  for (float value : encode(feature, {sample.vectors, {}})) EXPECT_NEAR(value, 0, 0.02);
}

TEST(Supervector, IsTheScaledOffsetOfTheAdaptedMeans) {
  SupervectorOptions options;
  options.universal.components = 5;
  const SetFeature feature = fit_supervector(options, sample_of(500, 4), Rng(1), {});
  const Universal universal = *feature.universal();
  for (const size_t size : {1u, 30u, 400u}) {
    const VectorSet set = oracle::normal_set(size, 4, Rng(size));
    const oracle::Mixture start = oracle::mixture_of(universal.mixture);
    const oracle::Mixture adapted = oracle::adapt_step(start, start, set.vectors, 10, true);
    const std::vector<float> ours = encode(feature, set);
    for (size_t m = 0; m < 5; ++m)
      for (size_t t = 0; t < 4; ++t) {
        const auto e = static_cast<Eigen::Index>(t);
        const double expected = std::sqrt(start.weights[m] / start.parts[m].covariance(e, e)) *
                                (adapted.parts[m].mean[e] - start.parts[m].mean[e]);
        EXPECT_NEAR(ours[4 * m + t], expected, 1e-5);
      }
  }
}

TEST(Vlad, SumsDifferencesFromTheNearestWord) {
  VladOptions options;
  options.vocabulary.words = 3;
  options.intra = false;
  options.pooling = {};
  const SetFeature plain = fit_vlad(options, sample_of(400, 2), Rng(1), {});
  TensorMap map;
  plain.save(TensorWriter(map));
  const Matrix<float> words = TensorReader(map).matrix<float>("words");
  const VectorSet set = oracle::normal_set(50, 2, Rng(3));
  std::vector<double> expected(6);
  for (size_t i = 0; i < set.size(); ++i) {
    const auto distance = [&](size_t w) {
      return std::hypot(set.vectors(i, 0) - words(w, 0), set.vectors(i, 1) - words(w, 1));
    };
    size_t best = 0;
    for (size_t w = 1; w < 3; ++w)
      if (distance(w) < distance(best)) best = w;
    for (size_t t = 0; t < 2; ++t)
      expected[2 * best + t] += (set.vectors(i, t) - words(best, t)) / 50.0;
  }
  const std::vector<float> ours = encode(plain, set);
  for (size_t t = 0; t < 6; ++t) EXPECT_NEAR(ours[t], expected[t], 1e-5);

  options.intra = true;
  const SetFeature intra = fit_vlad(options, sample_of(400, 2), Rng(1), {});
  const std::vector<float> parts = encode(intra, set);
  for (size_t w = 0; w < 3; ++w) {
    const double length = std::hypot(parts[2 * w], parts[2 * w + 1]);
    EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-5) << length;
  }
}

TEST(Fisher, RefusesAMixtureOfAnotherSize) {
  FisherOptions options;
  options.universal.components = 3;
  const Universal universal = *fit_fisher(options, sample_of(200, 2), Rng(1), {}).universal();
  EXPECT_EQ(make_fisher(options, universal).dim(), 12u);
  options.universal.components = 4;
  EXPECT_THROW(make_fisher(options, universal), Error);
}

}  // namespace
}  // namespace muster
