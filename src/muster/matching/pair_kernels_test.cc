// match, exponent, greedy, principal-angles and matching against their formulas.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "muster/core/parallel.h"
#include "muster/matching/assignment.h"
#include "muster/matching/exponent.h"
#include "muster/matching/greedy.h"
#include "muster/matching/match.h"
#include "muster/matching/matching.h"
#include "muster/matching/principal_angles.h"
#include "muster/matching/stored_set.h"
#include "muster/setkernel/correspondence.h"
#include "oracle/set_kernels.h"
#include "support/expect_error.h"
#include "support/random_data.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

// Non-negative, so that every local kernel is meant for it.
VectorSet random_set(size_t size, size_t dim, Rng rng) {
  VectorSet set{Matrix<float>(size, dim), {}, 0, 0};
  for (float& value : set.vectors.values()) value = static_cast<float>(rng.uniform());
  return set;
}

// Small integers: many equal distances.
VectorSet grid_set(const std::vector<std::pair<int, int>>& points) {
  VectorSet set{Matrix<float>(points.size(), 2), {}, 0, 0};
  for (size_t i = 0; i < points.size(); ++i) {
    set.vectors(i, 0) = static_cast<float>(points[i].first);
    set.vectors(i, 1) = static_cast<float>(points[i].second);
  }
  return set;
}

Matrix<double> gram(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  Matrix<double> out(sets.size(), sets.size());
  kernel.gram(represented, represented, out, {});
  return out;
}

double value(const SetKernel& kernel, const VectorSet& x, const VectorSet& y) {
  const std::shared_ptr<const Representation> a = kernel.represent(x), b = kernel.represent(y);
  double out = -1;
  kernel.gram(RepresentedSpan(&a, 1), RepresentedSpan(&b, 1), MatrixView<double>(&out, 1, 1), {});
  return out;
}

LocalKernelOptions local_options(LocalKernelKind kind) {
  LocalKernelOptions options;
  options.kernel = kind;
  options.gamma = 1.7;
  return options;
}

class PairKernels : public testing::TestWithParam<LocalKernelKind> {
 protected:
  LocalKernelOptions local_ = local_options(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Locals, PairKernels,
                         testing::Values(LocalKernelKind::kGaussian, LocalKernelKind::kLaplacian,
                                         LocalKernelKind::kCauchy, LocalKernelKind::kChi2,
                                         LocalKernelKind::kIntersection,
                                         LocalKernelKind::kPolynomial));

// Sizes around the lanes and around a block of local kernel values (128 x 256).
TEST_P(PairKernels, EqualTheirFormulasOnAnySizes) {
  const Kernel match = fit_match({local_}, {}, Rng(1), {}),
               power = fit_exponent({3, local_}, {}, Rng(1), {}),
               greedy = fit_greedy({local_}, {}, Rng(1), {});
  std::vector<VectorSet> sets;
  for (size_t m : {1, 2, 7, 9, 127, 130, 300}) sets.push_back(random_set(m, 5, Rng(m)));
  const Matrix<double> of_match = gram(*match, sets), of_power = gram(*power, sets),
                       of_greedy = gram(*greedy, sets);
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < sets.size(); ++j) {
      const oracle::Table k = oracle::table(local_, sets[i].vectors, sets[j].vectors);
      EXPECT_NEAR(of_match(i, j), oracle::match(k), 1e-5 * oracle::match(k));
      EXPECT_NEAR(of_power(i, j), oracle::exponent(k, 3), 1e-5 * oracle::exponent(k, 3));
      if (i <= 3 && j <= 3) {  // its oracle is cubic
        EXPECT_NEAR(of_greedy(i, j), oracle::greedy(k), 1e-5 * oracle::greedy(k));
      }
      EXPECT_EQ(of_greedy(i, j), of_greedy(j, i));
    }
}

TEST_P(PairKernels, MatchingEqualsTheBestOfAllAssignments) {
  const Kernel kernel = fit_matching({false, GroundDistance::kL1, local_}, {}, Rng(1), {});
  for (size_t m : {1, 2, 3, 5, 6})
    for (size_t n : {1, 4, 6, 7}) {
      const VectorSet x = random_set(m, 3, Rng(m)), y = random_set(n, 3, Rng(100 + n));
      const double expected = oracle::matching(oracle::table(local_, x.vectors, y.vectors));
      EXPECT_NEAR(value(*kernel, x, y), expected, 1e-6 * expected) << m << " x " << n;
      EXPECT_EQ(value(*kernel, x, y), value(*kernel, y, x));
    }
}

TEST_P(PairKernels, PrincipalAnglesEqualTheSingularValuesOfWholeSpans) {
  LocalKernelOptions local = local_;
  if (GetParam() == LocalKernelKind::kGaussian || GetParam() == LocalKernelKind::kLaplacian)
    local.gamma = 20;
  if (GetParam() == LocalKernelKind::kCauchy) local.gamma = 100;
  const Kernel kernel = fit_principal_angles({0, local}, {}, Rng(1), {});
  for (size_t m : {1, 2, 3, 4})
    for (size_t n : {1, 3, 4}) {
      const VectorSet x = random_set(m, 6, Rng(m)), y = random_set(n, 6, Rng(100 + n));
      const auto table = [&](const VectorSet& a, const VectorSet& b) {
        return oracle::table(local, a.vectors, b.vectors);
      };
      const double expected = oracle::principal_angles(table(x, x), table(x, y), table(y, y));
      EXPECT_NEAR(value(*kernel, x, y), expected, 1e-3 * expected + 1e-6) << m << " x " << n;
      EXPECT_NEAR(value(*kernel, x, x), 1, 1e-9);
    }
}

TEST_P(PairKernels, EmptySetsHaveKernelZero) {
  const std::vector<Kernel> kernels{
      fit_match({local_}, {}, Rng(1), {}),
      fit_exponent({3, local_}, {}, Rng(1), {}),
      fit_greedy({local_}, {}, Rng(1), {}),
      fit_principal_angles({4, local_}, {}, Rng(1), {}),
      fit_matching({false, GroundDistance::kL1, local_}, {}, Rng(1), {}),
      fit_matching({true, GroundDistance::kL2, local_}, {}, Rng(1), {})};
  const VectorSet none{Matrix<float>(0, 3), {}, 0, 0}, some = random_set(4, 3, Rng(1));
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(value(*kernel, none, some), 0);
    EXPECT_EQ(value(*kernel, some, none), 0);
    EXPECT_EQ(value(*kernel, none, none), 0);
  }
}

TEST(PrincipalAngles, OfPlanesInSpace) {
  // Dot products: the spans are the lines and planes themselves.
  LocalKernelOptions dot = local_options(LocalKernelKind::kPolynomial);
  dot.gamma = 1;
  dot.degree = 1;
  dot.offset = 0;
  const Kernel kernel = fit_principal_angles({0, dot}, {}, Rng(1), {});
  const auto set = [](std::vector<std::vector<float>> rows) {
    VectorSet out{Matrix<float>(rows.size(), 3), {}, 0, 0};
    for (size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], out.vectors.row(i).begin());
    return out;
  };
  const VectorSet plane = set({{1, 0, 0}, {1, 1, 0}, {2, 3, 0}}),
                  tilted = set({{1, 0, 0}, {0, 1, 1}}), line = set({{0, 2, 2}});
  EXPECT_NEAR(value(*kernel, plane, tilted), 0.5,
              1e-6);  // angles 0 and 45 degrees; three vectors, one plane
  EXPECT_NEAR(value(*kernel, plane, line), 0.5, 1e-6);
  EXPECT_NEAR(value(*kernel, tilted, line), 1, 1e-6);
  EXPECT_EQ(value(*kernel, plane, set({{0, 0, 0}})), 0);
}

TEST(PrincipalAngles, AreAMercerKernelOfSpansOfOneDimension) {
  const Kernel kernel =
      fit_principal_angles({3, local_options(LocalKernelKind::kGaussian)}, {}, Rng(1), {});
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < 20; ++i) sets.push_back(random_set(5 + i, 3, Rng(i)));
  const Matrix<double> values = gram(*kernel, sets);
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(values.data(), 20, 20);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues()[0], -1e-6);
}

TEST(Exponent, OfPowerOneIsSumMatchAndOverflowIsSaid) {
  LocalKernelOptions local = local_options(LocalKernelKind::kPolynomial);
  const VectorSet x = random_set(5, 4, Rng(1)), y = random_set(9, 4, Rng(2));
  const oracle::Table k = oracle::table(local, x.vectors, y.vectors);
  EXPECT_NEAR(value(*fit_exponent({1, local}, {}, Rng(1), {}), x, y), oracle::exponent(k, 1), 1e-5);
  VectorSet large = x;
  for (float& v : large.vectors.values()) v *= 1e8f;
  EXPECT_ERROR(value(*fit_exponent({100, local}, {}, Rng(1), {}), large, large), kData,
               "exponent: p=100");
  local.degree = 20;
  EXPECT_ERROR(value(*fit_greedy({local}, {}, Rng(1), {}), large, large), kData, "greedy");
}

TEST(Matching, CostEqualsTheCheapestAssignment) {
  for (const GroundDistance ground : {GroundDistance::kL1, GroundDistance::kL2}) {
    const Kernel kernel = fit_matching({true, ground, {}}, {}, Rng(1), {});
    for (size_t m : {1, 3, 6})
      for (size_t n : {2, 6, 7}) {
        VectorSet x = random_set(m, 2, Rng(m)), y = random_set(n, 2, Rng(50 + n));
        for (float& v : x.vectors.values()) v = std::round(1000 * v);
        for (float& v : y.vectors.values()) v = std::round(1000 * v);
        oracle::Table k(m, std::vector<double>(n));
        for (size_t i = 0; i < m; ++i)
          for (size_t j = 0; j < n; ++j) {
            const double dx = double(x.vectors(i, 0)) - y.vectors(j, 0),
                         dy = double(x.vectors(i, 1)) - y.vectors(j, 1);
            k[i][j] =
                ground == GroundDistance::kL1 ? -std::abs(dx) - std::abs(dy) : -std::hypot(dx, dy);
          }
        EXPECT_NEAR(value(*kernel, x, y), -oracle::matching(k), 1e-7) << m << " x " << n;
        EXPECT_EQ(value(*kernel, x, x), 0);
      }
  }
}

TEST(Matching, OfAHundredPointsBeatsGreedyAndIsFeasible) {
  LocalKernelOptions local = local_options(LocalKernelKind::kGaussian);
  const Kernel optimal = fit_matching({false, GroundDistance::kL1, local}, {}, Rng(1), {}),
               greedy = fit_greedy({local}, {}, Rng(1), {});
  const VectorSet x = random_set(100, 2, Rng(1)), y = random_set(80, 2, Rng(2));
  EXPECT_GT(value(*optimal, x, y), value(*greedy, x, y));
  for (const Kernel& kernel : {optimal, greedy}) {
    const auto matches = dynamic_cast<const ImpliesMatches&>(*kernel).matches(x, y);
    ASSERT_EQ(matches.size(), 80u);
    std::set<size_t> rows, cols;
    double sum = 0;
    for (const Correspondence& match : matches) {
      EXPECT_TRUE(rows.insert(match.a).second && cols.insert(match.b).second);
      EXPECT_NEAR(match.weight,
                  oracle::local(local, x.vectors.row(match.a), y.vectors.row(match.b)), 1e-6);
      EXPECT_EQ(match.level, 0);
      sum += match.weight;
    }
    EXPECT_NEAR(sum, value(*kernel, x, y), 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(matches, {}, &Correspondence::a));
  }
}

TEST(Assignment, RefusesWhatIsTooLargeToBeExact) {
  static const double zero = 0;
  const MatrixView<const double> huge(&zero, 6000, 6000, 0);
  EXPECT_ERROR(optimal_assignment(huge), kData, "fewer features");
  EXPECT_TRUE(optimal_assignment(Matrix<double>(0, 3)).empty());
}

std::vector<std::pair<int, int>> points_from(const std::vector<int>& numbers) {
  std::vector<std::pair<int, int>> out;
  for (int number : numbers) out.push_back({std::abs(number) % 4, std::abs(number) / 4 % 4});
  return out;
}

// Points on a 4 x 4 grid: ties everywhere.
RC_GTEST_PROP(Greedy, DoesNotDependOnTheOrderOfASetOrOfThePair, ()) {
  const auto a = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16)),
             b = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16));
  auto shuffled = a;
  Rng(a.size()).shuffle(std::span(shuffled));
  const Kernel kernel = fit_greedy({local_options(LocalKernelKind::kCauchy)}, {}, Rng(1), {});
  const VectorSet x = grid_set(points_from(a)), y = grid_set(points_from(b)),
                  z = grid_set(points_from(shuffled));
  RC_ASSERT(value(*kernel, x, y) == value(*kernel, z, y));
  RC_ASSERT(value(*kernel, x, y) == value(*kernel, y, x));
}

RC_GTEST_PROP(Greedy, AssignmentTakesTheBestRemainingPair, ()) {
  const size_t rows = *rc::gen::inRange<size_t>(1, 7), cols = *rc::gen::inRange<size_t>(1, 7);
  Matrix<float> values(rows, cols);
  for (float& v : values.values()) v = static_cast<float>(*rc::gen::inRange(-2, 3));
  std::vector<RowCol> expected;
  std::set<size_t> used_rows, used_cols;
  while (expected.size() < std::min(rows, cols)) {
    std::optional<RowCol> best;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < cols; ++j)
        if (!used_rows.contains(i) && !used_cols.contains(j) &&
            (!best || values(i, j) > values(best->row, best->col)))
          best = RowCol{i, j};
    expected.push_back(*best);
    used_rows.insert(best->row);
    used_cols.insert(best->col);
  }
  std::vector<RowCol> found = greedy_assignment(values);
  std::ranges::sort(found, {}, &RowCol::row);
  std::ranges::sort(expected, {}, &RowCol::row);
  RC_ASSERT(found == expected);
}

// A set matched with itself costs nothing, and a larger set never costs more: there is more to
// choose from.
RC_GTEST_PROP(Matching, CostFallsAsTheLargerSetGrows, ()) {
  const auto few = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 16));
  auto more = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(0, 16));
  const Kernel kernel = fit_matching({true, GroundDistance::kL1, {}}, {}, Rng(1), {});
  const VectorSet x = grid_set(points_from(few));
  const double before = value(*kernel, x, grid_set(points_from(more)));
  more.push_back(*rc::gen::inRange(0, 16));
  RC_ASSERT(value(*kernel, x, grid_set(points_from(more))) <= before);
  RC_ASSERT(value(*kernel, x, x) == 0);
  RC_ASSERT(before == std::round(before));  // whole coordinates, whole costs
}

}  // namespace
}  // namespace muster
