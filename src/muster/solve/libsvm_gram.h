// LIBSVM's C-SVC on a precomputed kernel, behind types of ours.
#pragma once

#include <memory>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/solve/binary_problems.h"

namespace muster {

// decision(x) = sum_i coefficients_i k(x_i, x) + offset, over all items of the Gram.
struct SvmDecision {
  std::vector<double> coefficients;
  double offset = 0;
};

// The Gram times `factor` in LIBSVM's layout (16 bytes per value). LIBSVM looks a kernel value up
// by the column number that a row carries, so any subset of items is trained on by pointing at its
// rows: one copy serves all folds, classes and values of C. Immutable; thread-safe.
class LibsvmGram {
 public:
  LibsvmGram(MatrixView<const double> gram, double factor);
  ~LibsvmGram();
  LibsvmGram(const LibsvmGram&) = delete;
  LibsvmGram& operator=(const LibsvmGram&) = delete;

  // Requires a two-sided problem.
  SvmDecision train(const BinaryProblem& problem, Costs costs, double tolerance) const;
  double decision(size_t item, const SvmDecision& svm) const;

 private:
  struct Nodes;
  std::unique_ptr<Nodes> nodes_;
};

}  // namespace muster
