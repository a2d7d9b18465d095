#include "muster/matching/assignment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "muster/core/rng.h"
#include "oracle/set_kernels.h"
#include "support/expect_error.h"

namespace muster {
namespace {

oracle::Table negated(const Matrix<double>& costs) {
  oracle::Table out(costs.rows(), std::vector<double>(costs.cols()));
  for (size_t i = 0; i < costs.rows(); ++i)
    for (size_t j = 0; j < costs.cols(); ++j) out[i][j] = -costs(i, j);
  return out;
}

// The sum of what the solver chose, which must be a matching.
double cost_of_best(const Matrix<double>& costs) {
  const std::vector<size_t> column = optimal_assignment(costs);
  EXPECT_EQ(column.size(), costs.rows());
  EXPECT_EQ(std::set<size_t>(column.begin(), column.end()).size(), costs.rows());
  double sum = 0;
  for (size_t i = 0; i < column.size(); ++i) {
    EXPECT_LT(column[i], costs.cols());
    sum += costs(i, column[i]);
  }
  return sum;
}

Matrix<double> random_costs(size_t rows, size_t cols, Rng rng, size_t values) {
  Matrix<double> out(rows, cols);
  for (double& cost : out.values())
    cost = values > 0 ? static_cast<double>(rng.below(values)) - 2 : rng.normal();
  return out;
}

TEST(Assignment, EqualsTheBestOfAllForSmallProblems) {
  for (uint64_t seed = 0; seed < 30; ++seed)
    for (const size_t values : {0, 1, 2, 20})
      for (size_t rows = 1; rows < 7; ++rows)
        for (size_t cols = rows; cols < 8; ++cols) {
          const Matrix<double> costs = random_costs(rows, cols, Rng(seed).derive(cols), values);
          EXPECT_NEAR(cost_of_best(costs), -oracle::best_assignment(negated(costs)), 1e-12);
        }
}

TEST(Assignment, EqualsTheHungarianMethodForLargeProblems) {
  for (const size_t values : {0, 1, 3, 50, 100000})
    for (const auto& [rows, cols] : std::initializer_list<std::pair<size_t, size_t>>{
             {60, 60}, {100, 100}, {40, 200}, {99, 100}, {1, 300}}) {
      const Matrix<double> costs = random_costs(rows, cols, Rng(rows + cols), values);
      EXPECT_NEAR(cost_of_best(costs), -oracle::hungarian(negated(costs)), 1e-9)
          << rows << " x " << cols << ", " << values << " values";
    }
}

// Products of ranks are what makes rows take columns from one another for longest.
TEST(Assignment, SortsProductsOfRanks) {
  constexpr size_t kSide = 150;
  Matrix<double> costs(kSide, kSide);
  double least = 0;
  for (size_t i = 0; i < kSide; ++i) {
    least += static_cast<double>(i * (kSide - 1 - i));
    for (size_t j = 0; j < kSide; ++j) costs(i, j) = static_cast<double>(i * j);
  }
  EXPECT_EQ(cost_of_best(costs), least);
}

// A constant added to a row or a square problem's column changes the cost, not the choice.
RC_GTEST_PROP(Assignment, CostMovesWithConstantsOfRowsAndColumns, ()) {
  const auto side = *rc::gen::inRange<size_t>(1, 12);
  Matrix<double> costs(side, side);
  for (double& cost : costs.values()) cost = *rc::gen::inRange(-9, 10);
  const double before = cost_of_best(costs);
  const auto row = *rc::gen::inRange<size_t>(0, side), col = *rc::gen::inRange<size_t>(0, side);
  for (size_t k = 0; k < side; ++k) {
    costs(row, k) += 1000;
    costs(k, col) -= 70;
  }
  RC_ASSERT(cost_of_best(costs) == before + 930);
}

TEST(Assignment, HoldsForCostsFarApart) {
  for (const double scale : {1e-300, 1e-20, 1e20, 1e300}) {
    Matrix<double> costs = random_costs(5, 6, Rng(3), 0);
    for (double& cost : costs.values()) cost *= scale;
    EXPECT_NEAR(cost_of_best(costs) / scale, -oracle::best_assignment(negated(costs)) / scale,
                1e-12);
  }
}

TEST(Assignment, RefusesWhatIsTooLargeToBeExact) {
  static const double zero = 0;
  const MatrixView<const double> huge(&zero, 6000, 6000, 0);
  EXPECT_ERROR(optimal_assignment(huge), kData, "fewer features");
  EXPECT_TRUE(optimal_assignment(Matrix<double>(0, 3)).empty());
}

}  // namespace
}  // namespace muster
