#include "muster/reduce/vector_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_data.h"

namespace muster {
namespace {

TEST(VectorScaling, L2AndRoot) {
  VectorSet set{Matrix<float>(2, 2), {}};
  set.vectors(0, 0) = -3;
  set.vectors(0, 1) = 4;
  const VectorSet l2 = make_l2(2)->apply(set);
  EXPECT_NEAR(l2.vectors(0, 0), -0.6, 1e-6);
  EXPECT_NEAR(l2.vectors(0, 1), 0.8, 1e-6);
  EXPECT_EQ(l2.vectors(1, 0), 0);
  const VectorSet root = make_root(2)->apply(set);
  EXPECT_NEAR(root.vectors(0, 0), -std::sqrt(3.0 / 7), 1e-6);
  EXPECT_NEAR(root.vectors(0, 1), std::sqrt(4.0 / 7), 1e-6);
  EXPECT_EQ(root.vectors(1, 1), 0);
}

TEST(Places, AppendsWeightedCoordinates) {
  const VectorSet set = oracle::normal_set(3, 2, Rng(1));
  PlacesOptions options;
  options.weight = 2;
  const VectorSet out = make_places(options, 2)->apply(set);
  EXPECT_EQ(out.dim(), 4u);
  EXPECT_EQ(out.vectors(1, 1), set.vectors(1, 1));
  EXPECT_EQ(out.vectors(1, 3), 2 * set.places(1, 1));
  EXPECT_THROW(make_places(options, 2)->apply(VectorSet{Matrix<float>(1, 2), {}}), Error);
  EXPECT_EQ(make_places(options, 2)->apply(VectorSet{Matrix<float>(0, 2), {}}).dim(), 4u);
}

}  // namespace
}  // namespace muster
