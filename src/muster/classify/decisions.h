// Fitted decision functions, one per two-class problem, without what their classifiers make of
// them: on vectors w.x + b, on rows of a Gram sum_i a_i k(x_i, x) + b. Immutable; thread-safe.
#pragma once

#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/tensors.h"

namespace muster {

struct LinearDecisions {
  Matrix<float> weights;  // one row per problem
  std::vector<double> offsets;

  // n x dim vectors -> n x problems.
  Matrix<double> of(ConstMatrixView vectors) const;
  void save(const TensorWriter& out) const;
  // Requires `num_problems` of them.
  static LinearDecisions load(const TensorReader& in, size_t num_problems);
};

struct GramDecisions {
  Matrix<double> coefficients;  // training items x problems
  std::vector<double> offsets;

  // n x training items kernel values -> n x problems.
  Matrix<double> of(MatrixView<const double> kernel_rows) const;
  void save(const TensorWriter& out) const;
  static GramDecisions load(const TensorReader& in, size_t num_problems);
};

}  // namespace muster
