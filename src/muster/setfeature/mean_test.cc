#include "muster/setfeature/mean.h"

#include <rapidcheck/gtest.h>

#include "support/set_features.h"

namespace muster {
namespace {

using oracle::encode;
using oracle::normal_matrix;

SetFeature mean_of(size_t dim, const PoolingOptions& pooling) {
  return fit_mean({pooling}, oracle::unlabelled(Matrix<float>(0, dim)), Rng(1), {});
}

std::vector<double> naive(const Matrix<float>& vectors, const PoolingOptions& pooling) {
  std::vector<double> out(vectors.cols());
  double length = 0;
  for (size_t t = 0; t < out.size(); ++t) {
    for (size_t i = 0; i < vectors.rows(); ++i) out[t] += vectors(i, t);
    out[t] /= static_cast<double>(vectors.rows());
    out[t] = std::copysign(std::pow(std::abs(out[t]), pooling.power), out[t]);
    length += out[t] * out[t];
  }
  if (pooling.l2 && length > 0)
    for (double& value : out) value /= std::sqrt(length);
  return out;
}

RC_GTEST_PROP(Mean, EqualsTheNaiveOne, ()) {
  const size_t rows = *rc::gen::inRange<size_t>(1, 60), dim = *rc::gen::inRange<size_t>(1, 40);
  const PoolingOptions pooling{.power = *rc::gen::element(1.0, 0.5),
                               .l2 = *rc::gen::arbitrary<bool>()};
  const VectorSet set{normal_matrix(rows, dim, Rng(rows * 100 + dim)), {}};
  const std::vector<float> got = encode(mean_of(dim, pooling), set);
  const std::vector<double> expected = naive(set.vectors, pooling);
  // A square root makes of a rounding error of 1e-7 in a value near 0 one of 3e-4.
  for (size_t t = 0; t < dim; ++t)
    RC_ASSERT(std::abs(got[t] - expected[t]) < (pooling.power == 1 ? 1e-5 : 1e-3));
}

TEST(Mean, BeginsAsTheStrongBaseline) {
  EXPECT_EQ(MeanOptions().pooling.power, 0.5);
  EXPECT_TRUE(MeanOptions().pooling.l2);
}

TEST(Mean, APyramidHasTheMeansOfItsCells) {
  VectorSet set{normal_matrix(40, 3, Rng(2)), Matrix<float>(40, 3)};
  for (size_t i = 0; i < 40; ++i) set.places(i, 0) = i < 10 ? 0.1f : 0.9f;
  const SetFeature feature = mean_of(3, {.levels = 1, .cells = CellWeight::kAverage});
  const std::vector<float> got = encode(feature, set);
  ASSERT_EQ(got.size(), 15u);
  for (size_t t = 0; t < 3; ++t) {
    double left = 0;
    for (size_t i = 0; i < 10; ++i) left += set.vectors(i, t) / 10;
    EXPECT_NEAR(got[3 + t], left * std::sqrt(0.5), 1e-5);
  }
}

}  // namespace
}  // namespace muster
