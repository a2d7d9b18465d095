#include <cmath>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/kernelweights/weight_rules.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 128;
constexpr int kIterations = 100;
constexpr double kGap = 1e-3;  // of the optimum

// Calls body(tile, values of all kernels there) for every tile on and above the diagonal, over
// threads.
template <class Body>
void over_tiles(const KernelTiles& kernels, const Body& body) {
  for_each_tile(kernels.num_items, kernels.num_items, kTileSide, true, {}, [&](const Tile& tile) {
    Matrix<double> values(kernels.num_kernels, tile.num_rows * tile.num_cols);
    kernels.fill(tile, values);
    body(tile, values);
  });
}

Matrix<double> weighted_sum(const KernelTiles& kernels, std::span<const double> weights) {
  Matrix<double> out(kernels.num_items, kernels.num_items);
  over_tiles(kernels, [&](const Tile& tile, const Matrix<double>& values) {
    for (size_t k = 0; k < weights.size(); ++k)
      for (size_t i = 0; i < tile.num_rows; ++i)
        for (size_t j = 0; j < tile.num_cols; ++j)
          out(tile.row + i, tile.col + j) += weights[k] * values(k, i * tile.num_cols + j);
  });
  mirror_upper(out);
  return out;
}

// For each kernel sum over problems of c'K_j c, c being the signed duals of a problem.
std::vector<double> quadratic_forms(const KernelTiles& kernels, const Matrix<double>& duals) {
  const size_t side = (kernels.num_items + kTileSide - 1) / kTileSide;
  Matrix<double> of_tile(side * side,
                         kernels.num_kernels);  // added in order: threads do not change a bit
  over_tiles(kernels, [&](const Tile& tile, const Matrix<double>& values) {
    std::vector<double> pairs(tile.num_rows * tile.num_cols);
    for (size_t problem = 0; problem < duals.rows(); ++problem)
      for (size_t i = 0; i < tile.num_rows; ++i) {
        const double left = duals(problem, tile.row + i);
        if (left == 0) continue;
        for (size_t j = 0; j < tile.num_cols; ++j)
          pairs[i * tile.num_cols + j] += left * duals(problem, tile.col + j);
      }
    const std::span<double> out = of_tile.row(tile.row / kTileSide * side + tile.col / kTileSide);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = (tile.row == tile.col ? 1 : 2) *
               std::inner_product(pairs.begin(), pairs.end(), values.row(k).begin(), 0.0);
  });
  std::vector<double> out(kernels.num_kernels);
  for (size_t t = 0; t < of_tile.rows(); ++t)
    for (size_t k = 0; k < out.size(); ++k) out[k] += of_tile(t, k);
  return out;
}

}  // namespace

std::vector<double> mkl_weights(const KernelTiles& kernels, const MarginSolver& svm,
                                std::span<const double> largest) {
  const size_t count = kernels.num_kernels;
  std::vector<double> shares(count, 1 / static_cast<double>(count)), weights(count);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (size_t j = 0; j < count; ++j) weights[j] = shares[j] / largest[j];
    const Matrix<double> duals = svm(weighted_sum(kernels, weights));
    std::vector<double> forms = quadratic_forms(kernels, duals);
    double linear = 0, mean = 0, most = 0;
    for (double dual : duals.values()) linear += std::abs(dual);
    for (size_t j = 0; j < count; ++j) {
      forms[j] = std::max(0.0, forms[j] / largest[j]);
      mean += shares[j] * forms[j];
      most = std::max(most, forms[j]);
    }
    if ((most - mean) / 2 <= kGap * std::abs(linear - mean / 2)) break;
    double sum = 0;
    for (size_t j = 0; j < count; ++j) sum += shares[j] *= std::sqrt(forms[j]);
    for (double& share : shares) share /= sum;
  }
  return shares;
}

}  // namespace muster
