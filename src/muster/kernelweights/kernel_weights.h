// Learning the weights of many kernels of the same items (DSPM 3.2). Sees Gram matrices and labels,
// never sets: the matrices come tile by tile, so that they are never in memory together.
//
// With Kbar_j = K_j / max|K_j|, Y_pq = 1 if the labels agree and 0 otherwise, A_ij = <Kbar_i,
// Kbar_j> and b_j = <Y, Kbar_j>, all rules give u >= 0 with sum u = 1:
//
//   uniform    u_j = 1 / J
//   qp         min u'A u - 2 b'u + lambda |u - u0|^2 (eq 10): the paper's u0 = 0 gives the same u
//              as equal shares (toward=uniform); toward=given takes the shares as given
//   lp         min sum_pq hinge(K_pq, Y_pq), the paper's footnote 2, scaled to sum 1
//   alignment  max cos(K, Y); Cristianini et al. 2002
//   sdp        the same with K positive semi-definite, by a semidefinite solver; slow
//   mkl        max margin: min_u of the SVM's dual optimum; Bach et al. 2004
//   held-out   what ridge regression errs least with on items that it was not trained on
//
// lambda is in units of tr(K0 K0') of the kernel K0 with its weights as given, scaled as Kbar is.
// centre=true: qp, alignment and sdp compare the kernels and Y after centring in feature space
// (Cortes et al. 2012), so that a kernel is not preferred for having Y's mean.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/options.h"
#include "muster/setkernel/gram.h"

namespace muster {

enum class WeightRule { kUniform, kQp, kLp, kAlignment, kSdp, kMkl, kHeldOut };
// In the order of WeightRule, for options.
inline const std::vector<std::string> kWeightRuleNames = {"uniform", "qp",  "lp",      "alignment",
                                                          "sdp",     "mkl", "held-out"};

enum class PullToward { kUniform, kGiven };

struct LearningOptions {
  std::optional<double> lambda = 0.1;
  PullToward toward = PullToward::kUniform;
  bool centre = false;
  bool balance = false;
  bool overlap = false;
  double mkl_cost = 10;  // for the MarginSolver

  void fields(Fields& f);
};

struct WeightLearning {
  WeightRule rule;
  LearningOptions options;
};

// Symmetric n x n kernels of the same n items. `fill` writes a tile of all of them, out.row(j)
// being that of kernel j, row by row; it is called from several threads at once.
struct KernelTiles {
  size_t num_items = 0;
  size_t num_kernels = 0;
  std::function<void(const Tile& tile, MatrixView<double> out)> fill;
};

// The support vector machine that mkl needs (hinge loss; labels and costs are bound into it): the
// signed dual variables a_i y_i of each of its two-class problems (one row each) on the given Gram
// matrix.
using MarginSolver = std::function<Matrix<double>(MatrixView<const double> gram)>;

struct LearnedWeights {
  double lambda = 0;            // qp: the lambda that gave them; else 0
  std::vector<double> shares;   // u: of the kernels divided by their largest value; sums to 1
  std::vector<double> weights;  // of the kernels as they come: u_j / max|K_j|
};

// One result; with rule qp and lambda=auto one for each lambda of a grid, for cross-validation to
// choose from. `given` are the weights that the kernels have without learning. A kernel that is 0
// everywhere gets weight 0. `svm` is called by mkl only. Throws a data error if lp leaves no kernel
// a weight, and a usage error if lp or sdp would be too large. The result is the same for any
// number of threads. Cost: one pass over the Grams and O(J^2 n^2); mkl: two passes and the training
// of its SVMs per iteration; held-out: two passes and O(n^3) per iteration.
std::vector<LearnedWeights> learn_weights(const WeightLearning& how, const KernelTiles& kernels,
                                          const Labels& labels, std::span<const double> given,
                                          const MarginSolver& svm, const Progress& progress);

}  // namespace muster
