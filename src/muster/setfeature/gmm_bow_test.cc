#include "muster/setfeature/gmm_bow.h"

#include <gtest/gtest.h>

#include "oracle/adapted.h"
#include "support/set_features.h"

namespace muster {
namespace {

TEST(GmmBow, IsTheMeanOfNaiveResponsibilities) {
  for (const CovarianceKind kind : {CovarianceKind::kDiagonal, CovarianceKind::kFull}) {
    GmmBowOptions options;
    options.vocabulary.components = 5;
    options.vocabulary.covariance = kind;
    options.vocabulary.per_category = true;
    const SetFeature feature =
        fit_gmm_bow(options, oracle::clustered_sample(500, 3, 2), Rng(1), {});
    TensorMap map;
    feature.save(TensorWriter(map));
    const Gmm mixture = Gmm::load(TensorReader(map));
    const oracle::Mixture naive = oracle::mixture_of(mixture);
    for (const size_t size : {1u, 17u, 700u}) {
      const VectorSet set = oracle::normal_set(size, 3, Rng(size));
      const std::vector<float> ours = oracle::encode(feature, set);
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

}  // namespace
}  // namespace muster
