// Kernels between two vectors, the "local kernels" of EMK section 2: one small family for every
// method that needs one. Values between all pairs of two blocks come from matrix products if the
// kernel allows it. Cost O(m n d) per block.
//
//   gaussian      exp(-gamma |x - y|^2)              EMK 3
//   laplacian     exp(-gamma |x - y|_1)
//   cauchy        1 / (1 + gamma |x - y|^2)
//   chi2          sum_t 2 x_t y_t / (x_t + y_t)      non-negative vectors
//   intersection  sum_t min(x_t, y_t)                non-negative vectors
//   polynomial    (gamma x.y + offset)^degree
//
// All are Mercer kernels on the vectors they are meant for.
#pragma once

#include <optional>
#include <span>

#include "muster/core/matrix.h"
#include "muster/core/options.h"
#include "muster/core/rng.h"

namespace muster {

enum class LocalKernelKind { kGaussian, kLaplacian, kCauchy, kChi2, kIntersection, kPolynomial };

struct LocalKernelOptions {
  LocalKernelKind kernel = LocalKernelKind::kGaussian;
  std::optional<double> gamma = 1.0;
  int degree = 2;
  double offset = 1;

  void fields(Fields& f);
};

// Immutable and shareable between threads.
class LocalKernel {
 public:
  // gamma=auto becomes 1 / median distance between pairs of the sample (of the kind the kernel
  // uses; for the polynomial 1 / median squared norm), and 1 if the sample has fewer than two
  // vectors.
  LocalKernel(const LocalKernelOptions& options, ConstMatrixView sample, Rng rng);
  // gamma is known; `options.gamma` must hold it.
  explicit LocalKernel(const LocalKernelOptions& options);

  LocalKernelKind kind() const { return options_.kernel; }
  double gamma() const { return *options_.gamma; }

  // In double precision; the reference for block().
  double value(std::span<const float> x, std::span<const float> y) const;
  // out(i, j) = k(a_i, b_j); half_a, half_b are half_squared_norms() of the blocks.
  void block(ConstMatrixView a, std::span<const float> half_a, ConstMatrixView b,
             std::span<const float> half_b, MatrixView<float> out) const;
  // For kernels of |x - y|^2 (gaussian, cauchy) d k(x, y) / d y = f (x - y), and kernel values
  // become those factors f in place. The others have kinks or no such form, so a basis for them
  // stays as it starts.
  bool has_gradient() const;
  void to_gradient_factors(MatrixView<float> values) const;

 private:
  LocalKernelOptions options_;
};

}  // namespace muster
