// Newton's equations on the support vectors of a squared-hinge SVM: (K_AA + R) x = b with R
// diagonal. Factored in single precision once; conjugate gradients preconditioned by that factor
// bring the solution to the accuracy asked for whatever the condition number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

class ActiveSystem {
 public:
  // O(|A|^2) memory, O(|A|^3 / 3) time.
  ActiveSystem(MatrixView<const float> gram, std::span<const uint32_t> active,
               std::span<const double> ridges);

  // False if K_AA + R is not positive definite in single precision; then there is no solve.
  bool factored() const { return factored_; }
  // x with every component of b - (K_AA + R) x at most `tolerance`, or as small as rounding allows.
  std::vector<double> solve(std::span<const double> b, double tolerance) const;

 private:
  std::vector<double> product(std::span<const double> x) const;

  std::span<const double> ridges_;
  Matrix<float> gram_;   // K_AA
  Matrix<float> lower_;  // the factor of K_AA + R
  bool factored_;
};

}  // namespace muster
