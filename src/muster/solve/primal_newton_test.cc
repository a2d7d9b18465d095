#include "muster/solve/primal_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "support/random_data.h"

namespace muster {
namespace {

constexpr size_t kItems = 700, kDim = 12, kClasses = 4;
constexpr double kScale = 0.5, kBias = 1.5;

struct Task {
  Matrix<float> vectors = oracle::normal_matrix(kItems, kDim, Rng(1));
  std::vector<BinaryProblem> problems = std::vector<BinaryProblem>(kClasses);
  std::vector<Costs> costs;

  explicit Task(double C) : costs(kClasses, {2 * C, C}) {
    for (size_t i = 0; i < kItems; ++i) vectors(i, i % kClasses) += 2;
    for (size_t c = 0; c < kClasses; ++c)
      for (size_t i = 0; i < kItems; ++i) problems[c].targets.push_back(i % kClasses == c ? 1 : -1);
  }

  // Of 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2, by its definition.
  std::vector<double> gradient(size_t p, std::span<const double> weights) const {
    std::vector<double> out(weights.begin(), weights.end());
    for (size_t i = 0; i < kItems; ++i) {
      std::vector<double> x(kDim + 1, kBias);
      for (size_t t = 0; t < kDim; ++t) x[t] = kScale * vectors(i, t);
      double decision = 0;
      for (size_t t = 0; t <= kDim; ++t) decision += weights[t] * x[t];
      const double y = problems[p].targets[i], slack = std::max(0.0, 1 - y * decision);
      const double cost = y > 0 ? costs[p].positive : costs[p].negative;
      for (size_t t = 0; t <= kDim; ++t) out[t] -= 2 * cost * slack * y * x[t];
    }
    return out;
  }
};

// Of items that are all here.
struct Solved {
  Matrix<double> weights;
  std::vector<char> solved;
};
Solved solve(const Task& task, double tolerance) {
  const CollectedItems items(task.vectors, kScale, kBias);
  const auto newton =
      make_primal_newton(PrimalLoss::kSquaredHinge, items, task.problems, sides_of(task.problems));
  newton->solve(task.costs, tolerance);
  return {newton->weights(), newton->solved()};
}

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

TEST(PrimalNewton, TheGradientVanishes) {
  for (const double C : {0.01, 1.0, 100.0}) {
    const Task task(C);
    const Solved found = solve(task, 0.001);
    const std::vector<double> zero(kDim + 1);
    for (size_t p = 0; p < kClasses; ++p) {
      EXPECT_TRUE(found.solved[p]);
      // A quarter of the items are positive.
      EXPECT_LT(norm(task.gradient(p, found.weights.row(p))),
                0.001 / 4 * 1.1 * norm(task.gradient(p, zero)))
          << C;
    }
  }
}

TEST(PrimalNewton, MomentsOfAboutTheSameCostAreShared) {
  const Task task(1);
  const CollectedItems items(task.vectors, kScale, kBias);
  const auto factor = items.moments().factor(1.1);
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor, items.moments().factor(0.9));
  EXPECT_NE(factor, items.moments().factor(4));
  // L L' = I + sum_i x_i x_i', at one place off the diagonal.
  double expected = 0, found = 0;
  for (size_t i = 0; i < kItems; ++i)
    expected += kScale * kScale * double(task.vectors(i, 3)) * task.vectors(i, 1);
  for (size_t t = 0; t <= 1; ++t) found += double((*factor)(3, t)) * (*factor)(1, t);
  EXPECT_NEAR(found, expected, 1e-4 * kItems);
}

TEST(PrimalNewton, SaysWhatItCouldNotSolve) {
  const Task task(1);
  const Solved found = solve(task, 1e-14);
  for (size_t p = 0; p < kClasses; ++p) {
    EXPECT_FALSE(found.solved[p]);
    EXPECT_LT(norm(task.gradient(p, found.weights.row(p))), 0.1);
  }
}

TEST(PrimalNewton, SameBytesForAnyThreadCount) {
  const Task task(1);
  const auto weights = [&](int threads) {
    const ThreadLimit limit(threads);
    return solve(task, 0.001).weights;
  };
  EXPECT_EQ(weights(1), weights(2));
}

TEST(PrimalNewton, GoesOnFromTheSolutionForOtherCosts) {
  const Task cheap(1), dear(10);
  const CollectedItems items(cheap.vectors, kScale, kBias);
  const auto warm = make_primal_newton(PrimalLoss::kSquaredHinge, items, cheap.problems,
                                       sides_of(cheap.problems));
  warm->solve(cheap.costs, 0.001);
  warm->solve(dear.costs, 0.001);
  const Solved cold = solve(dear, 0.001);
  const std::vector<double> zero(kDim + 1);
  for (size_t p = 0; p < kClasses; ++p) {
    EXPECT_TRUE(warm->solved()[p]);
    EXPECT_LT(norm(dear.gradient(p, warm->weights().row(p))),
              0.001 / 4 * 1.1 * norm(dear.gradient(p, zero)));
    for (size_t t = 0; t <= kDim; ++t) EXPECT_NEAR(warm->weights()(p, t), cold.weights(p, t), 0.01);
  }
}

TEST(PrimalNewton, ItemsWithoutATargetTakeNoPart) {
  Task task(1);
  for (size_t c = 0; c < kClasses; ++c)
    for (size_t i = 0; i < kItems; i += 3) task.problems[c].targets[i] = 0;
  const Solved found = solve(task, 0.001);
  std::vector<size_t> rows;
  for (size_t i = 0; i < kItems; ++i)
    if (i % 3 != 0) rows.push_back(i);
  Task without = task;
  without.vectors = select_rows(task.vectors.view(), rows);
  for (size_t c = 0; c < kClasses; ++c) std::erase(without.problems[c].targets, 0);
  const Solved expected = solve(without, 0.001);
  for (size_t i = 0; i < expected.weights.size(); ++i)
    EXPECT_NEAR(found.weights.data()[i], expected.weights.data()[i], 0.01);
}

}  // namespace
}  // namespace muster
