// LIBLINEAR's trust-region Newton method in the primal, behind types of ours. No random numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/solve/binary_problems.h"
#include "muster/solve/primal_loss.h"

namespace muster {

// Rows scaled by `scale` and with `bias` appended, in LIBLINEAR's layout (16 bytes per non-zero
// value), shared by all two-class problems on them. Immutable; thread-safe.
class LiblinearRows {
 public:
  LiblinearRows(ConstMatrixView vectors, double scale, double bias);
  ~LiblinearRows();
  LiblinearRows(const LiblinearRows&) = delete;
  LiblinearRows& operator=(const LiblinearRows&) = delete;

  // Replaces `weights` (dim + 1, the last one for the bias), the start of the search, by the
  // solution. Requires a two-sided problem. `tolerance` is LIBLINEAR's: relative to the gradient.
  void solve(PrimalLoss loss, const BinaryProblem& problem, Costs costs, double tolerance,
             std::vector<double>& weights) const;

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace muster
