#include "muster/matching/exponent.h"

#include <gtest/gtest.h>

#include "muster/matching/greedy.h"
#include "oracle/set_kernels.h"
#include "support/expect_error.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

TEST(Exponent, OfPowerOneIsSumMatchAndOverflowIsSaid) {
  LocalKernelOptions local = oracle::local_options(LocalKernelKind::kPolynomial);
  const VectorSet x = oracle::uniform_set(5, 4, Rng(1)), y = oracle::uniform_set(9, 4, Rng(2));
  const oracle::Table k = oracle::table(local, x.vectors, y.vectors);
  EXPECT_NEAR(oracle::value_of(*fit_exponent({1, local}, {}, Rng(1), {}), x, y),
              oracle::exponent(k, 1), 1e-5);
  VectorSet large = x;
  for (float& v : large.vectors.values()) v *= 1e8f;
  EXPECT_ERROR(oracle::value_of(*fit_exponent({100, local}, {}, Rng(1), {}), large, large), kData,
               "exponent: p=100");
  local.degree = 20;
  EXPECT_ERROR(oracle::value_of(*fit_greedy({local}, {}, Rng(1), {}), large, large), kData,
               "greedy");
}

}  // namespace
}  // namespace muster
