#include "muster/solve/active_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/rng.h"

namespace muster {
namespace {

// Dot products of vectors of 5 components: of rank 5 however many there are.
Matrix<float> low_rank_gram(size_t n) {
  Rng rng(1);
  Matrix<float> x(n, 5), gram(n, n);
  for (float& value : x.values()) value = static_cast<float>(rng.normal());
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < 5; ++k) gram(i, j) += x(i, k) * x(j, k);
  return gram;
}

double worst_residual(const Matrix<float>& gram, const std::vector<uint32_t>& active,
                      const std::vector<double>& ridges, const std::vector<double>& b,
                      const std::vector<double>& x) {
  double worst = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    double sum = ridges[i] * x[i] - b[i];
    for (size_t j = 0; j < active.size(); ++j) sum += gram(active[i], active[j]) * x[j];
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

TEST(ActiveSystem, ReachesTheToleranceWhateverTheRidge) {
  const Matrix<float> gram = low_rank_gram(90);
  std::vector<uint32_t> active;
  for (uint32_t i = 0; i < 90; i += 2) active.push_back(i);
  for (const double ridge : {10.0, 0.1, 5e-4}) {
    std::vector<double> ridges(active.size(), ridge), b(active.size());
    ridges[3] *= 2;
    for (size_t i = 0; i < b.size(); ++i) b[i] = i % 3 == 0 ? 1 : -1;
    const ActiveSystem system(gram, active, ridges);
    ASSERT_TRUE(system.factored());
    EXPECT_LE(worst_residual(gram, active, ridges, b, system.solve(b, 1e-6)), 2e-6) << ridge;
  }
}

TEST(ActiveSystem, NoActiveItemGivesNothing) {
  const Matrix<float> gram = low_rank_gram(4);
  const ActiveSystem system(gram, {}, {});
  EXPECT_TRUE(system.solve({}, 1e-3).empty());
}

TEST(ActiveSystem, RefusesWhatIsNotPositiveDefinite) {
  Matrix<float> gram = low_rank_gram(10);
  gram(4, 4) = -5;
  const std::vector<uint32_t> active = {1, 4, 7};
  EXPECT_FALSE(ActiveSystem(gram, active, std::vector<double>(3, 0.01)).factored());
}

}  // namespace
}  // namespace muster
