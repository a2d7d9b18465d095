#include "muster/simd/int16_product.h"

#include <gtest/gtest.h>

#include "muster/core/rng.h"

namespace muster {
namespace {

Matrix<int16_t> integers(size_t rows, size_t cols, int largest, Rng rng) {
  Matrix<int16_t> out(rows, cols);
  for (int16_t& value : out.values())
    value = static_cast<int16_t>(std::lround(largest * (2 * rng.uniform() - 1)));
  return out;
}

TEST(Int16Product, IsTheNaiveSumForEverySize) {
  for (const size_t rows : {0u, 1u, 3u, 4u, 9u})
    for (const size_t factors : {1u, 16u, 32u, 33u, 70u})
      for (const size_t columns : {2u, 6u, 34u})
        for (const int largest : {3, 5000}) {
          const Matrix<int16_t> a = integers(rows, columns, largest, Rng(rows + columns)),
                                b = integers(factors, columns, largest, Rng(factors));
          const Int16Factors packed(b.view());
          std::vector<float> bias(packed.padded());
          for (size_t m = 0; m < factors; ++m) bias[m] = static_cast<float>(m);
          Matrix<float> out(rows, packed.padded());
          int16_products(a.view(), packed, std::vector<float>(packed.padded(), 0.5f), bias, out);
          for (size_t i = 0; i < rows; ++i)
            for (size_t m = 0; m < factors; ++m) {
              int64_t sum = 0;
              for (size_t t = 0; t < columns; ++t) sum += a(i, t) * b(m, t);
              const auto expected = static_cast<float>(sum) * 0.5f + static_cast<float>(m);
              EXPECT_NEAR(out(i, m), expected, 1e-6 * (1 + std::abs(expected)));
            }
        }
}

// Two large parts of opposite signs: the sum fits in 32 bits, what is summed on the way does not.
TEST(Int16Product, SumsOnTheWayMayOverflow) {
  Matrix<int16_t> a(1, 12), b(1, 12);
  for (size_t t = 0; t < 12; ++t) {
    a(0, t) = 32767;
    b(0, t) = t < 6 ? 32767 : -32767;
  }
  b(0, 11) = -32766;
  const Int16Factors packed(b.view());
  Matrix<float> out(1, packed.padded());
  int16_products(a.view(), packed, std::vector<float>(packed.padded(), 1),
                 std::vector<float>(packed.padded()), out);
  EXPECT_EQ(out(0, 0), 32767);
}

}  // namespace
}  // namespace muster
