// Spatial pyramid matching (Lazebnik, Schmid & Ponce, CVPR 2006; DSPM eqs 1 to 3): level l = 0..L
// cuts the picture into 2^l x 2^l cells, and
//
//   K(X, Y) = sum_l sum_{cells i of level l} w_{l,i} sum_words min(H_{l,i}(X), H_{l,i}(Y))
//
// with H the histogram of visual words in the cell, divided by the number of vectors of the whole
// set (counts=share) or not (counts=raw). Weights: dyadic w = 1 / 2^L at level 0 and 1 / 2^(L-l+1)
// above; constant 1; or learned, one per cell (kernel_weights.h). A set is kept as its non-zero
// bins, sorted by cell and word.
//
// Levels above 0 require places (data error). An empty set has value 0 with every set. Thread-safe.
// Cost: O(m words d) to represent a set; per pair the bins that are not 0 in the sparser of the
// two, 32 pairs at once.
#pragma once

#include "muster/codebook/words.h"
#include "muster/kernelweights/kernel_weights.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

// From kUniform on, the rules of WeightRule.
enum class SpmWeights { kDyadic, kConstant, kUniform, kQp, kLp, kAlignment, kSdp, kMkl, kHeldOut };
enum class SpmCounts { kShare, kRaw };

struct SpmOptions {
  SpmOptions() { vocabulary.words = 200; }

  WordsOptions vocabulary;
  int levels = 2;
  SpmCounts counts = SpmCounts::kShare;
  SpmWeights weights = SpmWeights::kDyadic;
  LearningOptions learning;

  void fields(Fields& f);
  bool learns_weights() const { return weights >= SpmWeights::kUniform; }
};

// Until weights are learned, the kernel has the dyadic ones.
std::shared_ptr<const SetKernel> fit_spm(const SpmOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress);
std::shared_ptr<const SetKernel> load_spm(const SpmOptions& options, const TensorReader& in);

// The weights of equation 3, one per cell, level by level.
std::vector<double> dyadic_weights(int levels);

}  // namespace muster
