#include "muster/choose/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace muster {
namespace {

// Scores that predict these classes.
Matrix<double> predict(const std::vector<int>& classes, size_t num_classes = 2) {
  Matrix<double> out(classes.size(), num_classes);
  for (size_t i = 0; i < classes.size(); ++i) out(i, static_cast<size_t>(classes[i])) = 1;
  return out;
}

Labels one_label() { return {{"a", "b"}, {{0}, {0}, {1}, {1}}, {}}; }

TEST(Tally, AnItemCountsOnceHoweverOftenItIsJudged) {
  const Labels labels = one_label();
  Tally tally(labels);
  const std::vector<size_t> first{0, 2}, second{1, 3}, all{0, 1, 2, 3};
  tally.add(0, first, predict({0, 1}));   // both right
  tally.add(0, second, predict({1, 1}));  // 1 wrong, 3 right
  EXPECT_DOUBLE_EQ(tally.score(), 0.75);
  const double share = (3.0 + 2) / 8;
  EXPECT_DOUBLE_EQ(tally.error(), std::sqrt(share * (1 - share) / 8));
  tally.add(1, all, predict({0, 0, 0, 1}));  // 2 wrong
  EXPECT_EQ(tally.repeats(), 2u);
  EXPECT_DOUBLE_EQ(tally.score(), 0.75);  // 1, 1/2, 1/2, 1
  EXPECT_DOUBLE_EQ(tally.error(), std::sqrt(share * (1 - share) / 8));
  EXPECT_TRUE(tally.right(1, 1));
  EXPECT_FALSE(tally.right(0, 1));
  const std::vector<size_t> without{1};
  EXPECT_NEAR(tally.score_without(without), 5.0 / 6, 1e-12);
}

TEST(Tally, DifferencesArePaired) {
  const Labels labels = one_label();
  Tally a(labels), b(labels);
  const std::vector<size_t> all{0, 1, 2, 3};
  a.add(0, all, predict({0, 0, 1, 0}));
  b.add(0, all, predict({0, 1, 1, 0}));
  const Tally::Difference difference = a.minus(b);
  EXPECT_DOUBLE_EQ(difference.mean, 0.25);
  EXPECT_DOUBLE_EQ(difference.error, 0.25);  // of 0, 1, 0, 0
  EXPECT_DOUBLE_EQ(a.minus(a).error, 0);
}

TEST(Tally, SeveralLabelsAreRanked) {
  const Labels labels{{"a", "b"}, {{0}, {0, 1}, {1}, {}}, {}, true};
  Tally tally(labels);
  Matrix<double> scores(4, 2);
  const double a[] = {3, 1, 2, 0}, b[] = {0, 3, 2, 1};
  for (size_t i = 0; i < 4; ++i) {
    scores(i, 0) = a[i];
    scores(i, 1) = b[i];
  }
  const std::vector<size_t> all{0, 1, 2, 3};
  tally.add(0, all, scores);
  // a is ranked first and third: (1 + 2/3) / 2; b perfectly.
  EXPECT_NEAR(tally.score(), ((1 + 2.0 / 3) / 2 + 1) / 2, 1e-12);
}

}  // namespace
}  // namespace muster
