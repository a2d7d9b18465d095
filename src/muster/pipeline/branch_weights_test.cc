#include "muster/pipeline/branch_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "muster/core/rng.h"

namespace muster {
namespace {

struct Problem {
  explicit Problem(size_t n) {
    Rng rng(3);
    labels.class_names = {"a", "b", "c"};
    Matrix<float> telling(n, 6), noise(n, 20), wide(n, 6);
    for (size_t i = 0; i < n; ++i) {
      labels.of_item.push_back({static_cast<int>(i % 3)});
      for (float& value : telling.row(i)) value = static_cast<float>(rng.normal());
      telling(i, i % 3) += 2;
      for (float& value : noise.row(i)) value = static_cast<float>(rng.normal());
      for (size_t c = 0; c < 6; ++c) wide(i, c) = 100 * telling(i, c);
    }
    parts = {telling, noise};
    on_another_scale = {wide, noise};
  }
  Labels labels;
  std::vector<Matrix<float>> parts, on_another_scale;
};

double mean_squared_norm(const Matrix<float>& vectors, double scale) {
  double sum = 0;
  for (const float value : vectors.values()) sum += scale * scale * value * value;
  return sum / static_cast<double>(vectors.rows());
}

TEST(BranchWeights, WhatTellsClassesApartCountsMoreThanNoise) {
  const Problem problem(120);
  const std::vector<double> scales = held_out_scales(problem.parts, problem.labels, {});
  ASSERT_EQ(scales.size(), 2u);
  const double telling = mean_squared_norm(problem.parts[0], scales[0]),
               noise = mean_squared_norm(problem.parts[1], scales[1]);
  EXPECT_NEAR(telling + noise, 1, 1e-6);
  EXPECT_LT(noise, 0.45);
}

TEST(BranchWeights, DoNotDependOnTheScaleOfABranch) {
  const Problem problem(90);
  const std::vector<double> scales = held_out_scales(problem.parts, problem.labels, {}),
                            others = held_out_scales(problem.on_another_scale, problem.labels, {});
  EXPECT_NEAR(100 * others[0] / scales[0], 1, 1e-2);
  EXPECT_NEAR(others[1] / scales[1], 1, 1e-2);
}

TEST(BranchWeights, LearnFromItemsFromAllOver) {
  std::vector<size_t> items(5000);
  std::iota(items.begin(), items.end(), size_t{10});
  const std::vector<size_t> seen = held_out_sample(items);
  EXPECT_EQ(seen.size(), 2000u);
  EXPECT_EQ(seen.front(), 10u);
  EXPECT_GT(seen.back(), 5000u);
  items.resize(2000);
  EXPECT_EQ(held_out_sample(items), items);
}

}  // namespace
}  // namespace muster
