// A Gram as kernel machines with a regularised bias train on it: with means m_i of the rows and m
// of all, K_ij - m_i - m_j + m are the dot products of the centred images; divided by the mean
// diagonal of these, so that C means the same for all kernels; plus 1 for the bias:
//
//   G_ij = f (K_ij - m_i - m_j + m) + 1
//
// Immutable; thread-safe. Memory: 4 n^2 bytes besides the Gram, which must outlive it.
#pragma once

#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/solve/libsvm_gram.h"

namespace muster {

// Values that are not finite are a data error that names `stage` and the items; an asymmetric Gram
// is a bug.
void check_gram(const char* stage, MatrixView<const double> gram, const Labels& labels);

class CentredGram {
 public:
  explicit CentredGram(MatrixView<const double> gram);

  size_t size() const { return row_means_.size(); }
  // G in single precision, exactly symmetric.
  const Matrix<float>& rounded() const { return rounded_; }
  // out = V G in double precision; V and `out` have one row per problem.
  void product(MatrixView<const double> v, MatrixView<double> out) const;
  // sum_i b_i G(i, x) in terms of the kernel as it was given: coefficients and an offset.
  SvmDecision decision(std::span<const double> b) const;

 private:
  MatrixView<const double> gram_;
  std::vector<double> row_means_;
  double mean_ = 0;
  double factor_ = 1;
  Matrix<float> rounded_;
};

}  // namespace muster
