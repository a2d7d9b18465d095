// The rules of kernel_weights.h that need more than the simplex QP, one per file. Each gives u, not
// yet scaled to sum 1, for the kernels divided by `largest`; kernels that are 0 everywhere must
// have been left out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "muster/kernelweights/kernel_moments.h"

namespace muster {

// Calls body(p, q, values of all kernels there, divided by `largest`) for all items p <= q, in a
// fixed order on the calling thread.
void for_each_pair(
    const KernelTiles& kernels, std::span<const double> largest,
    const std::function<void(size_t p, size_t q, std::span<const double> values)>& body);

// By CLP, through the dual: one row per kernel and one bounded column per pair of items with the
// same labels.
std::vector<double> lp_weights(const KernelTiles& kernels, const LabelSimilarity& similarity,
                               std::span<const double> largest);

// max b'u with <K, K> <= 1 and K = sum u_j Kbar_j positive semi-definite as an n x n matrix
// inequality, u >= 0, by DSDP. `products` and `with_labels` are A and b.
std::vector<double> sdp_weights(const KernelTiles& kernels, MatrixView<const double> products,
                                std::span<const double> with_labels,
                                std::span<const double> largest);

// min over u of the optimum of the dual of the SVM, summed over its two-class problems, sum u = 1:
// alternates the SVM with the best u for its solution, u_j proportional to |w_j|, until the gap is
// below 1e-3 of the optimum.
std::vector<double> mkl_weights(const KernelTiles& kernels, const MarginSolver& svm,
                                std::span<const double> largest);

}  // namespace muster
