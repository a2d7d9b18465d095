#include "muster/pipeline/branch_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/kernelweights/kernel_weights.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr size_t kMostItems = 2000;

// The dot products of some rows.
Matrix<double> gram_of(const Matrix<float>& vectors, const std::vector<size_t>& items) {
  constexpr size_t kTile = 256;
  const Matrix<float> rows = select_rows(vectors.view(), items);
  Matrix<double> out(rows.rows(), rows.rows());
  parallel_for(rows.rows(), kTile, [&](size_t begin, size_t end) {
    Matrix<float> products(end - begin, rows.rows());
    gemm_nt(rows.view().slice_rows(begin, end - begin), rows, products);
    std::ranges::copy(products.values(), out.row(begin).begin());
  });
  for (size_t i = 0; i < out.rows(); ++i)  // in single precision the sides may differ by rounding
    for (size_t j = 0; j < i; ++j) out(i, j) = out(j, i);
  return out;
}

}  // namespace

double mean_diagonal(const Matrix<double>& gram) {
  double sum = 0;
  for (size_t i = 0; i < gram.rows(); ++i) sum += gram(i, i);
  return sum / static_cast<double>(std::max<size_t>(gram.rows(), 1));
}

std::vector<size_t> held_out_sample(const std::vector<size_t>& items) {
  if (items.size() <= kMostItems) return items;
  std::vector<size_t> out;
  for (size_t k = 0; k < kMostItems; ++k) out.push_back(items[k * items.size() / kMostItems]);
  return out;
}

std::vector<double> held_out_scales(std::span<const Matrix<float>> parts, const Labels& labels,
                                    const Progress& progress) {
  std::vector<size_t> items(labels.size());
  std::iota(items.begin(), items.end(), size_t{0});
  items = held_out_sample(items);
  std::vector<Matrix<double>> grams;
  for (const Matrix<float>& part : parts) grams.push_back(gram_of(part, items));
  const KernelTiles tiles{
      items.size(), grams.size(), [&](const Tile& tile, MatrixView<double> out) {
        for (size_t k = 0; k < grams.size(); ++k)
          for (size_t i = 0; i < tile.num_rows; ++i)
            std::ranges::copy(std::span<const double>(grams[k].row(tile.row + i))
                                  .subspan(tile.col, tile.num_cols),
                              out.row(k).subspan(i * tile.num_cols).begin());
      }};
  const std::vector<double> given(grams.size(), 1.0);
  std::vector<double> scales =
      learn_weights({WeightRule::kHeldOut, {}}, tiles, labels.select(items), given, {}, progress)
          .front()
          .weights;
  double norm = 0;
  for (size_t k = 0; k < scales.size(); ++k) norm += scales[k] * mean_diagonal(grams[k]);
  for (double& scale : scales) scale = norm > 0 ? std::sqrt(scale / norm) : 1;
  return scales;
}

}  // namespace muster
