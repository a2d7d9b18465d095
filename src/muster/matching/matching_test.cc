#include "muster/matching/matching.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "muster/matching/greedy.h"
#include "muster/setkernel/correspondence.h"
#include "oracle/set_kernels.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

TEST(Matching, CostEqualsTheCheapestAssignment) {
  for (const GroundDistance ground : {GroundDistance::kL1, GroundDistance::kL2}) {
    const Kernel kernel = fit_matching({true, ground, {}}, {}, Rng(1), {});
    for (size_t m : {1, 3, 6})
      for (size_t n : {2, 6, 7}) {
        VectorSet x = oracle::uniform_set(m, 2, Rng(m)), y = oracle::uniform_set(n, 2, Rng(50 + n));
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
        EXPECT_NEAR(oracle::value_of(*kernel, x, y), -oracle::matching(k), 1e-7) << m << " x " << n;
        EXPECT_EQ(oracle::value_of(*kernel, x, x), 0);
      }
  }
}

TEST(Matching, OfAHundredPointsBeatsGreedyAndIsFeasible) {
  LocalKernelOptions local = oracle::local_options(LocalKernelKind::kGaussian);
  const Kernel optimal = fit_matching({false, GroundDistance::kL1, local}, {}, Rng(1), {}),
               greedy = fit_greedy({local}, {}, Rng(1), {});
  const VectorSet x = oracle::uniform_set(100, 2, Rng(1)), y = oracle::uniform_set(80, 2, Rng(2));
  EXPECT_GT(oracle::value_of(*optimal, x, y), oracle::value_of(*greedy, x, y));
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
    EXPECT_NEAR(sum, oracle::value_of(*kernel, x, y), 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(matches, {}, &Correspondence::a));
  }
}

// A set matched with itself costs nothing, and a larger set never costs more: there is more to
// choose from.
RC_GTEST_PROP(Matching, CostFallsAsTheLargerSetGrows, ()) {
  const auto few = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 16));
  auto more = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(0, 16));
  const Kernel kernel = fit_matching({true, GroundDistance::kL1, {}}, {}, Rng(1), {});
  const VectorSet x = oracle::grid_set(few);
  const double before = oracle::value_of(*kernel, x, oracle::grid_set(more));
  more.push_back(*rc::gen::inRange(0, 16));
  RC_ASSERT(oracle::value_of(*kernel, x, oracle::grid_set(more)) <= before);
  RC_ASSERT(oracle::value_of(*kernel, x, x) == 0);
  RC_ASSERT(before == std::round(before));  // whole coordinates, whole costs
}

}  // namespace
}  // namespace muster
