#include "muster/setfeature/set_feature.h"

#include <gtest/gtest.h>

#include "muster/setfeature/bow.h"
#include "support/set_features.h"

namespace muster {
namespace {

// The pyramid as the formula says: every cell on its own, from scratch.
std::vector<double> naive_pyramid(const VectorSet& set, int levels, bool share) {
  std::vector<double> out;
  for (int l = 0; l <= levels; ++l) {
    const int side = 1 << l;
    for (int cy = 0; cy < side; ++cy)
      for (int cx = 0; cx < side; ++cx) {
        double sum[2] = {0, 0}, count = 0;
        for (size_t i = 0; i < set.size(); ++i) {
          if (std::min(side - 1, static_cast<int>(set.places(i, 0) * side)) != cx) continue;
          if (std::min(side - 1, static_cast<int>(set.places(i, 1) * side)) != cy) continue;
          ++count;
          for (size_t t = 0; t < 2; ++t) sum[t] += set.vectors(i, t);
        }
        const double fraction = share ? count / static_cast<double>(set.size()) : 1;
        for (double total : sum)
          out.push_back(count ? total / count * std::sqrt(fraction / side) : 0);
      }
  }
  return out;
}

TEST(SetFeature, PyramidEqualsTheNaiveOneCellByCell) {
  for (size_t m : {1, 2, 50})
    for (int levels : {0, 1, 2, 3})
      for (CellWeight cells : {CellWeight::kAverage, CellWeight::kShare}) {
        const VectorSet set = oracle::normal_set(m, 2, Rng(m));
        PoolingOptions pooling;
        pooling.levels = levels;
        pooling.cells = cells;
        const auto fast = oracle::encode(oracle::mean_feature(2, pooling), set);
        const auto naive = naive_pyramid(set, levels, cells == CellWeight::kShare);
        ASSERT_EQ(fast.size(), naive.size());
        for (size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], naive[i], 1e-5) << i;
      }
}

// As naive_pyramid() has it, with weights instead of ones; of a set without weights above.
TEST(SetFeature, AveragesAreWeightedInEveryCell) {
  VectorSet set = oracle::normal_set(40, 2, Rng(3));
  Rng rng(4);
  for (size_t i = 0; i < set.size(); ++i)
    set.weights.push_back(static_cast<float>(rng.uniform(0, 3)));
  PoolingOptions pooling;
  pooling.levels = 1;
  const auto fast = oracle::encode(oracle::mean_feature(2, pooling), set);
  double all = 0;
  for (const float weight : set.weights) all += weight;
  for (size_t cell = 0; cell < 5; ++cell) {
    double sum[2] = {0, 0}, total = 0;
    for (size_t i = 0; i < set.size(); ++i) {
      if (cell > 0 && cell_of(set.places(i, 0), set.places(i, 1), 2) != cell - 1) continue;
      total += set.weights[i];
      for (size_t t = 0; t < 2; ++t) sum[t] += set.weights[i] * set.vectors(i, t);
    }
    for (size_t t = 0; t < 2; ++t)
      EXPECT_NEAR(fast[2 * cell + t], sum[t] / total * std::sqrt(total / all / (cell > 0 ? 2 : 1)),
                  1e-5);
  }
}

TEST(SetFeature, PlacesOnTheFarEdgeFallIntoTheLastCell) {
  VectorSet set = oracle::normal_set(1, 2, Rng(1));
  set.places(0, 0) = set.places(0, 1) = 1;
  PoolingOptions pooling;
  pooling.levels = 1;
  const auto out = oracle::encode(oracle::mean_feature(2, pooling), set);
  EXPECT_NE(out[8], 0);
  EXPECT_EQ(out[2], 0);
}

TEST(SetFeature, EmptySetIsZeroAndPyramidNeedsPlaces) {
  PoolingOptions pooling;
  pooling.levels = 1;
  pooling.l2 = true;
  EXPECT_EQ(oracle::encode(oracle::mean_feature(2, pooling), VectorSet{Matrix<float>(0, 2), {}}),
            std::vector<float>(10));
  std::vector<float> out(10);
  EXPECT_THROW(oracle::mean_feature(2, pooling).encode(VectorSet{Matrix<float>(3, 2), {}}, out),
               Error);
}

TEST(SetFeature, PowerAndLength) {
  VectorSet set{Matrix<float>(1, 2), {}};
  set.vectors(0, 0) = -9;
  set.vectors(0, 1) = 16;
  PoolingOptions pooling;
  pooling.power = 0.5;
  EXPECT_EQ(oracle::encode(oracle::mean_feature(2, pooling), set), (std::vector<float>{-3, 4}));
  pooling.l2 = true;
  const auto out = oracle::encode(oracle::mean_feature(2, pooling), set);
  EXPECT_NEAR(out[0], -0.6, 1e-6);
  EXPECT_NEAR(out[1], 0.8, 1e-6);
}

TEST(Bow, HistogramOfNearestWordsSumsToOne) {
  Sample sample;
  sample.vectors = oracle::normal_matrix(500, 6, Rng(1));
  BowOptions options;
  options.vocabulary.words = 20;
  const SetFeature bow = fit_bow(options, sample, Rng(2), {});
  const VectorSet set = oracle::normal_set(40, 6, Rng(3));
  const auto histogram = oracle::encode(bow, set);
  double total = 0;
  for (float share : histogram) total += share;
  EXPECT_NEAR(total, 1, 1e-6);
  TensorMap saved;
  bow.save(TensorWriter(saved));
  EXPECT_EQ(oracle::encode(load_bow(options, TensorReader(saved)), set), histogram);
}

}  // namespace
}  // namespace muster
