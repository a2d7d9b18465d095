// The greedy matching kernel of Boughorbel, Tarel and Fleuret (BMVC 2004; PMK 2, "Greedy"): the
// pair of vectors with the largest k is taken and both are removed, until the smaller set is used
// up;
//   K(X, Y) = sum of k over the pairs taken.
// Not a Mercer kernel. Among equal values the order of the vectors' components decides, so that the
// order within a set does not matter. An empty set has kernel 0 with everything.
// The kernel implies matches (correspondence.h): the pairs taken, all at level 0.
// Cost O(m^2 d) per pair: no sorting, since a pair that is best for both its vectors is always
// taken (greedy_assignment). Memory O(m^2) per thread, O(m d) per set.
#pragma once

#include <vector>

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct GreedyOptions {
  LocalKernelOptions local;

  void fields(Fields& f) { local.fields(f); }
};

std::shared_ptr<const SetKernel> fit_greedy(const GreedyOptions& options, const Sample& sample,
                                            Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_greedy(const GreedyOptions& options, const TensorReader& in);

struct RowCol {
  size_t row, col;
  bool operator==(const RowCol&) const = default;
};
// Pairs of rows and columns by the largest value first, both then removed; among equals the smaller
// row, then the smaller column. min(rows, cols) pairs in no particular order. O(rows cols).
std::vector<RowCol> greedy_assignment(const Matrix<float>& values);

}  // namespace muster
