#include "muster/core/check_set.h"

#include <cmath>

#include "support/expect_error.h"

namespace muster {
namespace {

VectorSet set_with(float component, float place) {
  VectorSet set{Matrix<float>(2, 3), Matrix<float>(2, 3)};
  set.vectors(1, 2) = component;
  set.places(1, 2) = place;
  return set;
}

TEST(CheckSet, FiniteVectorsOfUsableSizeAndPlacesInThePicture) {
  check_set(set_with(0, 0), "a");
  check_set(set_with(-1e15f, 1), "a");
  check_set(set_with(1e-40f, 0.5f), "a");
  check_set({Matrix<float>(2, 3), Matrix<float>(2, 0)}, "a");
  for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF})
    EXPECT_ERROR(check_set(set_with(bad, 0), "a"), kData, "a: vector 1 holds");
  EXPECT_ERROR(check_set(set_with(2e15f, 0), "a"), kData, "allowed are numbers up to");
  for (const float bad : {std::nanf(""), HUGE_VALF, -0.1f, 1.1f})
    EXPECT_ERROR(check_set(set_with(0, bad), "a"), kData, "a: place 1 holds");
  EXPECT_ERROR(check_set({Matrix<float>(2, 3), Matrix<float>(1, 3)}, "a"), kData, "places are");
  EXPECT_ERROR(check_set({Matrix<float>(2, 3), Matrix<float>(2, 2)}, "a"), kData, "places are");
}

}  // namespace
}  // namespace muster
