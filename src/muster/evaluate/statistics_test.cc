#include "muster/evaluate/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace muster {
namespace {

TEST(Statistics, StudentAgreesWithTheTables) {
  EXPECT_NEAR(student_t_975(1), 12.7062047, 1e-6);
  EXPECT_NEAR(student_t_975(2), 4.30265273, 1e-7);
  EXPECT_NEAR(student_t_975(4), 2.77644511, 1e-7);
  EXPECT_NEAR(student_t_975(9), 2.26215716, 1e-7);
  EXPECT_NEAR(student_t_975(1000), 1.96233908, 1e-7);
}

TEST(Statistics, SpreadOfFiveSplits) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  const Spread spread = spread_of(values);
  EXPECT_DOUBLE_EQ(spread.mean, 3);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(2.5));
  EXPECT_NEAR(spread.high - spread.mean, 2.77644511 * std::sqrt(2.5 / 5), 1e-7);
  EXPECT_NEAR(spread.mean - spread.low, spread.high - spread.mean, 1e-12);
}

TEST(Statistics, OneValueAndNone) {
  const std::vector<double> one{0.5};
  EXPECT_EQ(spread_of(one).deviation, 0);
  EXPECT_EQ(spread_of(one).low, 0.5);
  EXPECT_TRUE(std::isnan(spread_of({}).mean));
}

TEST(Statistics, PairedDifferenceIgnoresWhatSplitsShare) {
  const std::vector<double> a{0.9, 0.5, 0.7}, b{0.8, 0.4, 0.6};
  const Spread spread = paired_difference(a, b);
  EXPECT_NEAR(spread.mean, 0.1, 1e-12);
  EXPECT_NEAR(spread.deviation, 0, 1e-12);
}

}  // namespace
}  // namespace muster
