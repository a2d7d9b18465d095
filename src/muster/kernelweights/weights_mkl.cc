#include <cmath>

#include "muster/kernelweights/weight_rules.h"

namespace muster {
namespace {

constexpr int kIterations = 100;
constexpr double kGap = 1e-3;  // of the optimum

// For each kernel sum over problems of c'K_j c, c being the signed duals of a problem.
std::vector<double> quadratic_forms(const KernelTiles& kernels, const Matrix<double>& duals) {
  return sums_over_pairs(kernels, [&](const Tile& tile, std::span<double> pairs) {
    for (size_t problem = 0; problem < duals.rows(); ++problem)
      for (size_t i = 0; i < tile.num_rows; ++i) {
        const double left = duals(problem, tile.row + i);
        if (left == 0) continue;
        for (size_t j = 0; j < tile.num_cols; ++j)
          pairs[i * tile.num_cols + j] += left * duals(problem, tile.col + j);
      }
  });
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
