#include "muster/cluster/shared_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "muster/core/rng.h"
#include "support/expect_error.h"

namespace muster {
namespace {

TEST(Quantum, LosesLittle) {
  for (const double bound : {1e-280, 1e-9, 0.3, 1.0, 2.0, 12345.6, 1e200}) {
    const Quantum quantum(bound);
    for (const double term : {0.0, bound, -bound, bound / 3, -bound * 1e-9})
      EXPECT_NEAR(quantum.value(quantum.count(term)), term, bound * std::ldexp(1, -60)) << bound;
  }
}

TEST(Quantum, AddsUpToItsBound) {
  const double bound = 7;
  const Quantum quantum(bound);
  int64_t sum = 0;
  for (int i = 0; i < 1000; ++i) sum += quantum.count(bound / 1000);
  EXPECT_NEAR(quantum.value(sum), bound, 1e-14);
}

TEST(Quantum, OfNothingIsNothing) {
  const Quantum quantum(0);
  EXPECT_EQ(quantum.value(quantum.count(0)), 0);
}

TEST(Quantum, RefusesWhatHasNoBound) {
  EXPECT_ERROR(Quantum{std::numeric_limits<double>::infinity()}, kRuntime, "range of numbers");
  EXPECT_ERROR(Quantum(std::nan("")), kRuntime, "range of numbers");
}

RC_GTEST_PROP(SharedSum, TheOrderOfTermsDoesNotMatter, (uint32_t seed)) {
  Rng rng(seed);
  Matrix<double> terms(2, 1 + rng.below(200));
  for (double& term : terms.values()) term = rng.normal() * std::exp(10 * rng.normal());
  const std::vector<double> sums = totals_over_ranks(terms, terms.cols());
  double largest = 0, exact = 0;
  for (const double term : terms.row(0)) {
    exact += term;
    largest = std::max(largest, std::abs(term));
  }
  RC_ASSERT(std::abs(sums[0] - exact) <= 1e-12 * largest * static_cast<double>(terms.cols()));
  for (size_t k = 0; k < terms.rows(); ++k) rng.shuffle(terms.row(k));
  RC_ASSERT(totals_over_ranks(terms, terms.cols()) == sums);
}

}  // namespace
}  // namespace muster
