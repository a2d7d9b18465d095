#include "muster/simd/label_counts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/rng.h"

namespace muster {
namespace {

std::vector<uint8_t> random_labels(size_t n, Rng rng) {
  std::vector<uint8_t> out(n);
  for (uint8_t& label : out) label = static_cast<uint8_t>(rng.below(kLabelBins));
  return out;
}

TEST(LabelCounts, RunningSumsEqualCountsOneByOne) {
  for (const size_t width : {0, 1, 7, 33}) {
    AlignedVector<uint32_t> sums(kLabelBins * (width + 1)), expected = sums;
    for (uint64_t y = 0; y < 5; ++y) {
      const std::vector<uint8_t> labels = random_labels(width, Rng(y));
      add_label_row(labels, sums);
      for (size_t x = 0; x < width; ++x)
        for (size_t right = x + 1; right <= width; ++right)
          ++expected[kLabelBins * right + labels[x]];
    }
    EXPECT_EQ(sums, expected) << width;
  }
}

TEST(LabelCounts, CellsHoldTheRootsOfTheirShares) {
  constexpr size_t kWidth = 30, kBins = 59, kCells = 2;
  const std::vector<uint32_t> corners{0, 4, 9, 3, 8, 13, 20, 21, 30};
  AlignedVector<uint32_t> sums(kLabelBins * (kWidth + 1), 0xfffffff0u);  // they will wrap around
  AlignedVector<uint32_t> above(kLabelBins * corners.size());
  add_label_row(random_labels(kWidth, Rng(9)), sums);
  for (size_t k = 0; k < corners.size(); ++k)
    std::copy_n(sums.begin() + static_cast<ptrdiff_t>(kLabelBins * corners[k]), kLabelBins,
                above.begin() + static_cast<ptrdiff_t>(kLabelBins * k));
  std::vector<std::vector<uint8_t>> rows;
  for (uint64_t y = 0; y < 3; ++y) {
    rows.push_back(random_labels(kWidth, Rng(y)));
    add_label_row(rows.back(), sums);
  }
  Matrix<float> out(3, kCells * kBins + 1);
  std::ranges::fill(out.values(), -1.0f);
  cell_label_roots(above, sums, corners, kCells, 3,
                   MatrixView<float>(out.data(), 3, kCells * kBins, out.cols()));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out(i, kCells * kBins), -1);
    for (size_t c = 0; c < kCells; ++c) {
      std::vector<int> counts(kLabelBins);
      const uint32_t left = corners[3 * i + c], right = corners[3 * i + c + 1];
      for (const auto& row : rows)
        for (uint32_t x = left; x < right; ++x) ++counts[row[x]];
      for (size_t b = 0; b < kBins; ++b)
        EXPECT_EQ(out(i, c * kBins + b), std::sqrt(static_cast<float>(counts[b]) /
                                                   static_cast<float>(3 * (right - left))));
    }
  }
}

}  // namespace
}  // namespace muster
