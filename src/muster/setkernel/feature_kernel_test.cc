#include "muster/setkernel/feature_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/setfeature/bow.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

class FeatureKernelTest : public testing::TestWithParam<FeatureKernelKind> {
 protected:
  FeatureKernelTest() {
    Sample sample;
    sample.vectors = oracle::normal_matrix(300, 4, Rng(1));
    BowOptions options;
    options.vocabulary.words = 12;
    bow_ = std::make_shared<SetFeature>(fit_bow(options, sample, Rng(2), {}));
  }
  double naive(const std::vector<float>& x, const std::vector<float>& y, double gamma) const {
    double product = 0, squared = 0, chi2 = 0, smaller = 0;
    for (size_t t = 0; t < x.size(); ++t) {
      const double a = x[t], b = y[t];
      product += a * b;
      squared += (a - b) * (a - b);
      if (a + b > 0) chi2 += (a - b) * (a - b) / (a + b);
      smaller += std::min(a, b);
    }
    switch (GetParam()) {
      case FeatureKernelKind::kLinear:
        return product;
      case FeatureKernelKind::kRbf:
        return std::exp(-gamma * squared);
      case FeatureKernelKind::kChi2:
        return std::exp(-gamma * chi2);
      case FeatureKernelKind::kIntersection:
        return smaller;
    }
    return 0;
  }
  std::shared_ptr<const SetFeature> bow_;
};

TEST_P(FeatureKernelTest, EqualsTheFormula) {
  const auto kernel = make_feature_kernel(GetParam(), 1.5, bow_);
  const auto sets = oracle::random_sets(7, 4);
  const Represented represented = oracle::represent_all(*kernel, sets);
  const Matrix<double> gram = oracle::gram_of(*kernel, represented, represented);
  for (size_t i = 0; i < 7; ++i)
    for (size_t j = 0; j < 7; ++j) {
      std::vector<float> x(bow_->dim()), y(bow_->dim());
      bow_->encode(sets[i], x);
      bow_->encode(sets[j], y);
      EXPECT_NEAR(gram(i, j), naive(x, y, 1.5), 1e-5);
      EXPECT_EQ(gram(i, j), gram(j, i));
    }
}

TEST_P(FeatureKernelTest, WidthsAreSettledFromTheTrainingSets) {
  const auto kernel = make_feature_kernel(GetParam(), std::nullopt, bow_);
  const Represented represented = oracle::represent_all(*kernel, oracle::random_sets(7, 4));
  const auto candidates = kernel->candidates(represented);
  const bool has_width =
      GetParam() == FeatureKernelKind::kRbf || GetParam() == FeatureKernelKind::kChi2;
  EXPECT_EQ(candidates.size() > 1, has_width);
  const Matrix<double> gram = oracle::gram_of(*candidates.back(), represented, represented);
  for (double value : gram.values()) EXPECT_TRUE(std::isfinite(value));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FeatureKernelTest,
                         testing::Values(FeatureKernelKind::kLinear, FeatureKernelKind::kRbf,
                                         FeatureKernelKind::kChi2,
                                         FeatureKernelKind::kIntersection));

}  // namespace
}  // namespace muster
