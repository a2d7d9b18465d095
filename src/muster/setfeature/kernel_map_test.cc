#include "muster/setfeature/kernel_map.h"

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace muster {
namespace {

TEST(KernelMap, CellsFinishedTogetherAreAsOneByOne) {
  const KernelMap map(LocalKernel(LocalKernelOptions{.gamma = 0.1}),
                      oracle::normal_matrix(19, 5, Rng(1)), oracle::normal_matrix(7, 19, Rng(2)));
  const Matrix<float> sums = oracle::normal_matrix(4, 19, Rng(3));
  const std::vector<size_t> counts = {3, 1, 0, 250};
  Matrix<float> cells = sums;
  std::ranges::fill(cells.row(2), 0.0f);
  Matrix<float> together(4, 7);
  map.finish_cells(cells, counts, together);
  for (size_t c = 0; c < counts.size(); ++c) {
    std::vector<float> alone(7);
    if (counts[c] > 0) map.finish(cells.row(c), counts[c], alone);
    for (size_t t = 0; t < alone.size(); ++t)
      EXPECT_NEAR(together(c, t), alone[t], 1e-5) << c << " " << t;
  }
}

}  // namespace
}  // namespace muster
