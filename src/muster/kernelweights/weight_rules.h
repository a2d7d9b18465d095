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

// sum_k w_k K_k, over threads.
Matrix<double> weighted_sum(const KernelTiles& kernels, std::span<const double> weights);

// For each kernel the sum over all pairs of F(p, q) K(p, q), F symmetric. `fill` writes a tile of F
// row by row into zeros; it is called from several threads at once.
using PairFactors = std::function<void(const Tile& tile, std::span<double> out)>;
std::vector<double> sums_over_pairs(const KernelTiles& kernels, const PairFactors& fill);

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

// With G = sum v_j (H K_j H / d_j + 1) + I, d_j the mean diagonal of the centred kernel and 1 a
// constant kernel for the bias (without which the labels would be seen through the centre), the
// scores that ridge regression of the labels (+1 and -1) gives the items of a group F when they are
// left out of its training are, without training again,
//
//   s_F = t_F - (G^-1)_FF^-1 (G^-1 t)_F
//
// (Golub, Heath and Wahba 1979; without groups F is a single item). The rule takes the v_j > 0 for
// which these scores, times a steepness that it finds as well, say the labels best: the mean
// log-loss of a softmax over the classes, or of a sigmoid for each label if items may have several.
// Per item, log v is held to its mean as by one item's Gaussian of deviation 2. By BFGS; each step
// costs some 5 n^3. The length of v, the ridge's inverse, is dropped.
std::vector<double> held_out_weights(const KernelTiles& kernels, const Labels& labels,
                                     std::span<const double> largest);

}  // namespace muster
