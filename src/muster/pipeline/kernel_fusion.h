// The kernels of all branches become one: their weighted sum on the training items, in one or
// several versions for cross-validation to choose from.
//
// One branch: the candidates of its kernel (widths, say). Several: each is scaled to a mean
// diagonal of 1 / branches; widths take the middle of their grids. A kernel that wants the weights
// of its parts learnt (spm:weights=qp) gets them, and where the classifier says so
// (kernel-svm:weights=qp) all parts of all branches are weighed together.
#pragma once

#include <memory>
#include <vector>

#include "muster/pipeline/pipeline.h"
#include "muster/setkernel/kernel_weights.h"

namespace muster {

// How much of k(x, x), on average over the training sets, comes from a branch, and within it from
// each of its parts (one share where it has none): the weights, on a scale that all kernels share.
// Both sum to 1.
struct BranchShare {
  double share = 0;
  std::vector<double> parts;
};
std::vector<BranchShare> kernel_shares(std::span<const FittedBranch> branches);

class KernelFusion {
 public:
  // Branches have kernels and represented training sets; both they and the labels must outlive it.
  KernelFusion(const Plan& plan, std::vector<FittedBranch>& branches, const Labels& labels,
               const Progress& progress);

  size_t num_candidates() const { return candidates_.size(); }
  Matrix<double> gram(size_t candidate) const;
  // Gives the branches their kernels and scales for good.
  void settle(size_t candidate);

 private:
  struct Candidate {
    std::vector<std::shared_ptr<const SetKernel>> kernels;  // one a branch
    std::vector<double> scales;
  };

  Matrix<double> whole_gram(const SetKernel& kernel, size_t branch) const;
  // Of the parts of these branches, in their order; a kernel without parts is one itself.
  KernelTiles tiles(const std::vector<size_t>& which) const;
  std::vector<double> given_weights(const std::vector<size_t>& which) const;
  std::vector<LearnedWeights> learn(const WeightLearning& how,
                                    const std::vector<size_t>& which) const;
  // Puts learnt weights, starting at `next`, where branch b has them.
  void take_weights(size_t branch, std::span<const double> weights, size_t& next,
                    Candidate& candidate) const;
  void weigh_together(const WeightLearning& how);
  void weigh_each();

  std::vector<FittedBranch>& branches_;
  const Labels& labels_;
  const Progress& progress_;
  std::vector<std::shared_ptr<const SetKernel>> base_;  // widths settled, weights not
  std::vector<Matrix<double>> grams_;  // of base kernels that stay whole, else empty
  std::vector<Candidate> candidates_;
};

}  // namespace muster
