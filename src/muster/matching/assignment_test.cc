#include "muster/matching/assignment.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace muster {
namespace {

TEST(Assignment, RefusesWhatIsTooLargeToBeExact) {
  static const double zero = 0;
  const MatrixView<const double> huge(&zero, 6000, 6000, 0);
  EXPECT_ERROR(optimal_assignment(huge), kData, "fewer features");
  EXPECT_TRUE(optimal_assignment(Matrix<double>(0, 3)).empty());
}

}  // namespace
}  // namespace muster
