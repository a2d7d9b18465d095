#include "muster/matching/pair_kernel.h"

#include <gtest/gtest.h>

#include "muster/matching/exponent.h"
#include "muster/matching/greedy.h"
#include "muster/matching/match.h"
#include "muster/matching/matching.h"
#include "muster/matching/principal_angles.h"
#include "oracle/set_kernels.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

class PairKernels : public testing::TestWithParam<LocalKernelKind> {
 protected:
  LocalKernelOptions local_ = oracle::local_options(GetParam());
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
  for (size_t m : {1, 2, 7, 9, 127, 130, 300}) sets.push_back(oracle::uniform_set(m, 5, Rng(m)));
  const Matrix<double> of_match = oracle::gram_of(*match, sets),
                       of_power = oracle::gram_of(*power, sets),
                       of_greedy = oracle::gram_of(*greedy, sets);
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
      const VectorSet x = oracle::uniform_set(m, 3, Rng(m)),
                      y = oracle::uniform_set(n, 3, Rng(100 + n));
      const double expected = oracle::matching(oracle::table(local_, x.vectors, y.vectors));
      EXPECT_NEAR(oracle::value_of(*kernel, x, y), expected, 1e-6 * expected) << m << " x " << n;
      EXPECT_EQ(oracle::value_of(*kernel, x, y), oracle::value_of(*kernel, y, x));
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
      const VectorSet x = oracle::uniform_set(m, 6, Rng(m)),
                      y = oracle::uniform_set(n, 6, Rng(100 + n));
      const auto table = [&](const VectorSet& a, const VectorSet& b) {
        return oracle::table(local, a.vectors, b.vectors);
      };
      const double expected = oracle::principal_angles(table(x, x), table(x, y), table(y, y));
      EXPECT_NEAR(oracle::value_of(*kernel, x, y), expected, 1e-3 * expected + 1e-6)
          << m << " x " << n;
      EXPECT_NEAR(oracle::value_of(*kernel, x, x), 1, 1e-9);
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
  const VectorSet none{Matrix<float>(0, 3), {}, 0, 0}, some = oracle::uniform_set(4, 3, Rng(1));
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(oracle::value_of(*kernel, none, some), 0);
    EXPECT_EQ(oracle::value_of(*kernel, some, none), 0);
    EXPECT_EQ(oracle::value_of(*kernel, none, none), 0);
  }
}

}  // namespace
}  // namespace muster
