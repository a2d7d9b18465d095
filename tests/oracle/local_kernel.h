// The local kernels by their formulas, for oracles of set kernels.
#pragma once

#include <cmath>
#include <span>

#include "muster/localkernel/local_kernel.h"

namespace muster::oracle {

inline double local(const LocalKernelOptions& o, std::span<const float> x,
                    std::span<const float> y) {
  double dot = 0, l1 = 0, l2 = 0, chi2 = 0, smaller = 0;
  for (size_t t = 0; t < x.size(); ++t) {
    const double a = x[t], b = y[t];
    dot += a * b;
    l1 += std::abs(a - b);
    l2 += (a - b) * (a - b);
    chi2 += a + b != 0 ? 2 * a * b / (a + b) : 0;
    smaller += std::min(a, b);
  }
  switch (o.kernel) {
    case LocalKernelKind::kGaussian:
      return std::exp(-*o.gamma * l2);
    case LocalKernelKind::kLaplacian:
      return std::exp(-*o.gamma * l1);
    case LocalKernelKind::kCauchy:
      return 1 / (1 + *o.gamma * l2);
    case LocalKernelKind::kChi2:
      return chi2;
    case LocalKernelKind::kIntersection:
      return smaller;
    case LocalKernelKind::kPolynomial:
      return std::pow(*o.gamma * dot + o.offset, o.degree);
  }
  return 0;
}

inline LocalKernelOptions local_options(LocalKernelKind kind) {
  LocalKernelOptions options;
  options.kernel = kind;
  options.gamma = 1.7;
  return options;
}

}  // namespace muster::oracle
