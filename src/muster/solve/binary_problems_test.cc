#include "muster/solve/binary_problems.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(BinaryProblems, OneVsOneVotesDecideBeforeMargins) {
  Matrix<double> decisions(1, 3);  // 0v1, 0v2, 1v2
  decisions(0, 0) = 0.01;
  decisions(0, 1) = 0.01;
  decisions(0, 2) = 100;
  const Matrix<double> scores = class_scores(decisions, 3, Scheme::kOneVsOne);
  EXPECT_GT(scores(0, 0), scores(0, 1));
  EXPECT_GT(scores(0, 1), scores(0, 2));
  decisions(0, 1) = -0.02;  // a circle: one vote each, margins decide
  const Matrix<double> circle = class_scores(decisions, 3, Scheme::kOneVsOne);
  EXPECT_GT(circle(0, 1), circle(0, 0));
  EXPECT_GT(circle(0, 0), circle(0, 2));
}

}  // namespace
}  // namespace muster
