#include "muster/setfeature/supervector.h"

#include <gtest/gtest.h>

#include "oracle/adapted.h"
#include "support/set_features.h"

namespace muster {
namespace {

TEST(Supervector, IsTheScaledOffsetOfTheAdaptedMeans) {
  SupervectorOptions options;
  options.universal.components = 5;
  const SetFeature feature =
      fit_supervector(options, oracle::clustered_sample(500, 4, 3), Rng(1), {});
  const Universal universal = *feature.universal();
  for (const size_t size : {1u, 30u, 400u}) {
    const VectorSet set = oracle::normal_set(size, 4, Rng(size));
    const oracle::Mixture start = oracle::mixture_of(universal.mixture);
    const oracle::Mixture adapted = oracle::adapt_step(start, start, set.vectors, 10, true);
    const std::vector<float> ours = oracle::encode(feature, set);
    for (size_t m = 0; m < 5; ++m)
      for (size_t t = 0; t < 4; ++t) {
        const auto e = static_cast<Eigen::Index>(t);
        const double expected = std::sqrt(start.weights[m] / start.parts[m].covariance(e, e)) *
                                (adapted.parts[m].mean[e] - start.parts[m].mean[e]);
        EXPECT_NEAR(ours[4 * m + t], expected, 1e-5);
      }
  }
}

}  // namespace
}  // namespace muster
