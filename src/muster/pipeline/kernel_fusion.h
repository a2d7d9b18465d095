// The kernels of all branches become one: their weighted sum on the training items, in one or
// several versions for cross-validation to choose from.
//
// One branch: the candidates of its kernel (widths, say). Several: each is scaled to a mean
// diagonal of 1 / branches; widths take the middle of their grids. A kernel that wants the weights
// of its parts learned (spm:weights=qp) gets them, and if the classifier says so
// (kernel-svm:weights=qp) all parts of all branches are weighed together.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "muster/kernelweights/kernel_weights.h"
#include "muster/pipeline/branch.h"

namespace muster {

// How much of k(x, x), on average over the training sets, comes from a branch, and within it from
// each of its parts (one share if it has none): the weights, on a scale that all kernels share.
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
  // Not to be called from several threads at once.
  Matrix<double> gram(size_t candidate) const;
  // Whether candidates differ in weights learned from the labels (lambda=auto).
  bool chooses_among_learned() const { return learned_ && candidates_.size() > 1; }
  // As gram(), the weights learned without some items, silently. May be called from several threads
  // at once.
  Matrix<double> gram_without(size_t candidate, std::span<const size_t> left_out) const;
  // Gives the branches their kernels and scales for good.
  void settle(size_t candidate);

 private:
  struct Candidate {
    std::vector<std::shared_ptr<const SetKernel>> kernels;  // one per branch
    std::vector<double> scales;
  };

  Matrix<double> whole_gram(const SetKernel& kernel, size_t branch, const Progress& progress) const;
  Matrix<double> gram_of(const Candidate& candidate, const Progress& progress) const;
  // Of the parts of these branches, in their order, between some items; a kernel without parts is
  // one itself.
  KernelTiles tiles(const std::vector<size_t>& which, const std::vector<size_t>& items) const;
  std::vector<double> given_weights(const std::vector<size_t>& which) const;
  // From the labels of some items.
  std::vector<LearnedWeights> learn(const WeightLearning& how, const std::vector<size_t>& which,
                                    const std::vector<size_t>& items,
                                    const Progress& progress) const;
  // Puts learned weights, starting at `next`, where branch b has them.
  void take_weights(size_t branch, std::span<const double> weights, size_t& next,
                    Candidate& candidate) const;
  std::vector<Candidate> weighed_together(const WeightLearning& how,
                                          const std::vector<size_t>& items,
                                          const Progress& progress) const;
  std::vector<Candidate> weighed_each(const std::vector<size_t>& items,
                                      const Progress& progress) const;
  std::vector<Candidate> weighed(const std::vector<size_t>& items, const Progress& progress) const;

  std::vector<FittedBranch>& branches_;
  const Labels& labels_;
  const Progress& progress_;
  std::vector<std::shared_ptr<const SetKernel>> base_;  // widths settled, weights not
  std::vector<Matrix<double>> grams_;  // of base kernels that stay whole, else empty
  std::optional<WeightLearning> together_;
  bool learned_ = false;
  bool shares_work_ = false;  // SetKernel::from_values_of
  std::vector<Candidate> candidates_;
  mutable Matrix<double> first_;  // of the first candidate, if the others' can be made of it
  mutable std::mutex mutex_;
  // Learned without the items that are the key.
  mutable std::map<std::vector<size_t>, std::vector<Candidate>> without_;
};

}  // namespace muster
