#include "muster/simd/sparse_minima.h"

#include <gtest/gtest.h>

#include "muster/core/rng.h"

namespace muster {
namespace {

TEST(SparseMinima, EqualTheNaiveLoopBitForBit) {
  for (const size_t bins : {1, 2, 31, 200}) {
    for (const double density : {0.0, 0.1, 1.0}) {
      Rng rng(bins);
      Matrix<float> block(bins, kBlockSets);
      for (float& value : block.values())
        if (rng.uniform() < density) value = static_cast<float>(rng.uniform());
      std::vector<std::vector<uint32_t>> indices(5);
      std::vector<std::vector<float>> values(5);
      std::vector<SparseBins> sparse;
      for (size_t j = 0; j < 5; ++j) {
        for (uint32_t t = 0; t < bins; ++t)
          if (rng.uniform() < density) {
            indices[j].push_back(t);
            values[j].push_back(static_cast<float>(rng.uniform()));
          }
        sparse.push_back({indices[j].data(), values[j].data(), indices[j].size()});
      }
      Matrix<float> out(5, kBlockSets);
      sparse_minima(block, sparse, out);
      for (size_t j = 0; j < 5; ++j)
        for (size_t s = 0; s < kBlockSets; ++s) {
          float expected = 0;
          for (size_t k = 0; k < sparse[j].count; ++k)
            expected += std::min(block(indices[j][k], s), values[j][k]);
          EXPECT_EQ(out(j, s), expected) << bins << " bins, histogram " << j << ", set " << s;
        }
    }
  }
}

}  // namespace
}  // namespace muster
