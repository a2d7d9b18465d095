// Random directions that cost d log d instead of d^2 per block of d (structured orthogonal random
// features, Yu et al. 2016). H is the Walsh-Hadamard matrix, H(i, j) = (-1)^popcount(i & j), of n
// rows, n the power of two that d is padded to by zeros; S are diagonals of random signs. Block b
// of n directions is
//
//   n^(-3/2) H S(b,2) H S(b,1) H S(0)        an orthogonal matrix; its rightmost part is shared by
//   all blocks
//
// and row r is scaled to lengths(r). By fast transforms of several vectors at a time, one per SIMD
// lane.
#pragma once

#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/rng.h"

namespace muster {

class HadamardDirections {
 public:
  // The padded dimension for vectors of `d`: a power of two, at least 64 (smaller ones have too few
  // sign patterns).
  static size_t padded_dim(size_t d);

  // One direction per length; signs are drawn.
  HadamardDirections(size_t d, std::vector<float> lengths, Rng rng);
  // As saved: signs has 1 + 2 ceil(lengths / n) rows of n values, each 1 or -1.
  HadamardDirections(size_t d, std::vector<float> lengths, Matrix<float> signs);
  static size_t sign_rows(size_t d, size_t directions);

  size_t dim() const { return d_; }
  size_t size() const { return lengths_.size(); }
  const std::vector<float>& lengths() const { return lengths_; }
  const Matrix<float>& signs() const { return signs_; }

  // sum(t) += sum over the vectors x of cos(w_t . x + phases(t)), on the calling thread.
  void add_cosines(ConstMatrixView vectors, std::span<const float> phases,
                   std::span<float> sum) const;

 private:
  size_t d_;
  std::vector<float> lengths_;
  Matrix<float> signs_;  // S(0), S(0,1), S(0,2), S(1,1), ...
};

}  // namespace muster
