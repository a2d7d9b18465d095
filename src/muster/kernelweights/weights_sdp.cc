extern "C" {
#include <dsdp/dsdp5.h>
}

#include <memory>

#include "muster/kernelweights/weight_rules.h"
#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

constexpr size_t kMostItems = 1000;
// Keeps an interior even if all kernels share a null space.
constexpr double kRidge = 1e-8;

void require(int code, const char* what) {
  if (code != 0)
    throw runtime_failure("weights=sdp: DSDP failed to {} (code {}); use weights=alignment", what,
                          code);
}

// Lower triangle of each kernel, negative: DSDP wants C - sum u_j A_j positive semi-definite.
Matrix<double> negative_triangles(const KernelTiles& kernels, std::span<const double> largest) {
  const size_t n = kernels.num_items;
  Matrix<double> out(kernels.num_kernels, n * (n + 1) / 2);
  for_each_pair(kernels, largest, [&](size_t p, size_t q, std::span<const double> values) {
    for (size_t k = 0; k < values.size(); ++k) out(k, q * (q + 1) / 2 + p) = -values[k];
  });
  return out;
}

// R with R'R = A, so that u'A u <= 1 is the matrix inequality [I, R u; (R u)', 1] >= 0.
Eigen::MatrixXd root(MatrixView<const double> products) {
  const auto count = static_cast<Eigen::Index>(products.rows);
  Eigen::MatrixXd a(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j)
      a(i, j) = products(static_cast<size_t>(i), static_cast<size_t>(j));
  const SymmetricEigen eigen = symmetric_eigen(a / a.cwiseAbs().maxCoeff());
  return eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

std::vector<double> sdp_weights(const KernelTiles& kernels, MatrixView<const double> products,
                                std::span<const double> with_labels,
                                std::span<const double> largest) {
  if (kernels.num_items > kMostItems)
    throw usage_error(
        "weights=sdp: the semidefinite programme is for at most {} items, and there are {}; use "
        "weights=alignment, which has the same solution",
        kMostItems, kernels.num_items);
  const auto count = static_cast<int>(kernels.num_kernels), n = static_cast<int>(kernels.num_items);
  Matrix<double> triangles = negative_triangles(kernels, largest);
  const Eigen::MatrixXd factor = root(products);
  double scale = 0;
  for (double value : with_labels) scale = std::max(scale, std::abs(value));

  DSDP raw = nullptr;
  require(DSDPCreate(count, &raw), "start");
  const std::unique_ptr<DSDP_C, int (*)(DSDP)> solver(raw, DSDPDestroy);
  SDPCone cone = nullptr;
  BCone bounds = nullptr;
  require(DSDPCreateSDPCone(raw, 2, &cone), "make its cones");
  require(DSDPCreateBCone(raw, &bounds), "make its cones");
  require(SDPConeSetBlockSize(cone, 0, n) + SDPConeSetBlockSize(cone, 1, count + 1),
          "size its blocks");
  require(
      SDPConeSetIdentity(cone, 0, 0, n, kRidge) + SDPConeSetIdentity(cone, 1, 0, count + 1, 1.0),
      "take its constants");
  // The last row of the second block, as indices into its packed triangle.
  std::vector<int> places(static_cast<size_t>(count));
  for (int k = 0; k < count; ++k) places[static_cast<size_t>(k)] = count * (count + 1) / 2 + k;
  std::vector<std::vector<double>> columns;  // DSDP keeps pointers
  for (int j = 0; j < count; ++j) {
    std::vector<double>& column = columns.emplace_back();
    for (int k = 0; k < count; ++k) column.push_back(-factor(k, j));
  }
  for (int j = 0; j < count; ++j) {
    const auto at = static_cast<size_t>(j);
    require(DSDPSetDualObjective(raw, j + 1, with_labels[at] / (scale > 0 ? scale : 1)),
            "take its objective");
    require(
        SDPConeSetADenseVecMat(cone, 0, j + 1, n, 1.0, triangles.row(at).data(), n * (n + 1) / 2),
        "take a kernel");
    require(SDPConeSetASparseVecMat(cone, 1, j + 1, count + 1, 1.0, 0, places.data(),
                                    columns[at].data(), count),
            "take a norm");
    require(BConeSetLowerBound(bounds, j + 1, 0.0), "take its bounds");
  }
  require(DSDPSetGapTolerance(raw, 1e-9), "set its tolerance");
  require(DSDPSetup(raw), "set up");
  require(DSDPSolve(raw), "solve");
  std::vector<double> out(static_cast<size_t>(count));
  require(DSDPGetY(raw, out.data(), count), "give its solution");
  for (double& weight : out) weight = std::max(0.0, weight);
  return out;
}

}  // namespace muster
