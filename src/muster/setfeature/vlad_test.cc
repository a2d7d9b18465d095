#include "muster/setfeature/vlad.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/set_features.h"

namespace muster {
namespace {

TEST(Vlad, SumsDifferencesFromTheNearestWord) {
  VladOptions options;
  options.vocabulary.words = 3;
  options.intra = false;
  options.pooling = {};
  const SetFeature plain = fit_vlad(options, oracle::clustered_sample(400, 2, 3), Rng(1), {});
  const Matrix<float> words = oracle::words_of(plain);
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
  const std::vector<float> ours = oracle::encode(plain, set);
  for (size_t t = 0; t < 6; ++t) EXPECT_NEAR(ours[t], expected[t], 1e-5);

  options.intra = true;
  const SetFeature intra = fit_vlad(options, oracle::clustered_sample(400, 2, 3), Rng(1), {});
  const std::vector<float> parts = oracle::encode(intra, set);
  for (size_t w = 0; w < 3; ++w) {
    const double length = std::hypot(parts[2 * w], parts[2 * w + 1]);
    EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-5) << length;
  }
}

}  // namespace
}  // namespace muster
