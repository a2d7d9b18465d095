#include "muster/solve/dual_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"

namespace muster {
namespace {

// Far more components than the classes need, as set features have: most items are within the
// margin.
struct Problems {
  Matrix<float> gram;
  std::vector<BinaryProblem> problems;
  std::vector<Costs> costs;

  Problems(size_t n, size_t dim, size_t classes, double C)
      : gram(n, n), problems(classes), costs(classes, {C, C}) {
    Matrix<double> vectors(n, dim);
    Rng rng(7);
    for (size_t i = 0; i < n; ++i)
      for (size_t t = 0; t < dim; ++t)
        vectors(i, t) =
            (rng.normal() + (t == i % classes ? 3 : 0)) / std::sqrt(static_cast<double>(dim));
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        double product = 1;  // the bias
        for (size_t t = 0; t < dim; ++t) product += vectors(i, t) * vectors(j, t);
        gram(i, j) = static_cast<float>(product);
      }
    for (size_t c = 0; c < classes; ++c)
      for (size_t i = 0; i < n; ++i) problems[c].targets.push_back(i % classes == c ? 1 : -1);
  }
};

// How far alphas are from 2 C max(0, 1 - y f), with f computed again.
double violation(const Problems& all, size_t p, const DualSolution& solution) {
  const size_t n = all.gram.rows();
  double worst = 0;
  for (size_t i = 0; i < n; ++i) {
    double decision = 0;
    for (size_t j = 0; j < n; ++j)
      decision +=
          static_cast<double>(all.gram(i, j)) * all.problems[p].targets[j] * solution.alphas[j];
    const double slack = std::max(0.0, 1 - all.problems[p].targets[i] * decision);
    worst = std::max(worst, std::abs(solution.alphas[i] * 0.5 / all.costs[p].positive - slack));
  }
  return worst;
}

TEST(DualDescent, ProblemsApproachedTogetherAreSolved) {
  for (const double C : {0.1, 1.0}) {
    const Problems all(120, 200, 5, C);
    std::vector<DualSolution> solutions(5, DualSolution(120));
    EXPECT_GT(approach_duals(all.gram, all.problems, all.costs, 0.01, solutions), 0);
    for (size_t p = 0; p < 5; ++p)
      EXPECT_LT(violation(all, p, solutions[p]), 0.011) << C << " " << p;
  }
}

TEST(DualDescent, ProblemsAreApproachedFromFarBeyondTheirMarginsToo) {
  const Problems all(120, 200, 5, 1);
  std::vector<DualSolution> solutions(5, DualSolution(120));
  for (size_t p = 0; p < 5; ++p) {
    std::ranges::fill(solutions[p].alphas, 50.0);
    for (size_t i = 0; i < 120; ++i)
      for (size_t j = 0; j < 120; ++j)
        solutions[p].decisions[i] +=
            50.0 * static_cast<double>(all.gram(i, j)) * all.problems[p].targets[j];
  }
  approach_duals(all.gram, all.problems, all.costs, 0.01, solutions);
  for (size_t p = 0; p < 5; ++p) EXPECT_LT(violation(all, p, solutions[p]), 0.011) << p;
}

TEST(DualDescent, WhatIsApproachedIsFinishedToTheSameSolutionAsFromNothing) {
  const Problems all(90, 6, 4, 100);  // of low rank with a large C: products alone do not get there
  std::vector<DualSolution> solutions(4, DualSolution(90));
  DualLimits limits;
  limits.tolerance = 1e-6;
  approach_duals(all.gram, all.problems, all.costs, limits.tolerance, solutions);
  for (size_t p = 0; p < 4; ++p) {
    DualSolution cold(90);
    solve_dual(all.gram, all.problems[p], all.costs[p], limits, Rng(1), cold);
    solve_dual(all.gram, all.problems[p], all.costs[p], limits, Rng(1), solutions[p]);
    EXPECT_LT(violation(all, p, solutions[p]), 1e-5);
    for (size_t i = 0; i < 90; ++i) EXPECT_NEAR(solutions[p].decisions[i], cold.decisions[i], 1e-4);
  }
}

TEST(DualDescent, OneOrTwoThreadsApproachAlike) {
  const Problems all(300, 40, 4, 10);
  std::vector<DualSolution> one(4, DualSolution(300)), two = one;
  {
    const ThreadLimit limit(1);
    approach_duals(all.gram, all.problems, all.costs, 1e-3, one);
  }
  const ThreadLimit limit(2);
  approach_duals(all.gram, all.problems, all.costs, 1e-3, two);
  for (size_t p = 0; p < 4; ++p) EXPECT_EQ(one[p].alphas, two[p].alphas);
}

}  // namespace
}  // namespace muster
