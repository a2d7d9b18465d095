#include "muster/pyramid/l1_embedding.h"

#include <gtest/gtest.h>

#include "oracle/pmk.h"
#include "support/pyramid_grids.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

TEST(L1Embedding, EqualsTheFormulaAndIsAMetricOnItsGrid) {
  Sets sets;
  for (size_t i = 0; i < 20; ++i) sets.push_back(whole_numbers(i * i % 31, 2, -7, 50, Rng(i)));
  const auto kernel = fit_l1_embedding({2, true, 1}, all_of(sets), Rng(3), {});
  const Grid grid(*kernel);
  const Matrix<double> values = oracle::gram_of(*kernel, sets);
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = i; j < sets.size(); ++j) {
      double expected = 0;
      for (size_t p = 0; p < 2; ++p)
        expected += oracle::l1_embedding(sets[i].vectors, sets[j].vectors, grid.offset(p), 1,
                                         grid.planes + 1);
      EXPECT_EQ(values(i, j), expected) << i << ", " << j;
      EXPECT_EQ(values(j, i), expected);
    }
}

}  // namespace
}  // namespace muster
