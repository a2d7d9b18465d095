// Efficient match kernel by learned basis vectors (EMK 3.1): phi(x) = G k_Z(x) with G'G = K_ZZ^-1
// and Z from constrained kernel SVD (codebook/kernel_basis.h). Dot products approximate any Mercer
// local kernel. Cost O(m D d + D^2) per set: G is applied once per set, not once per vector.
#pragma once

#include "muster/codebook/kernel_basis.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct EmkCksvdOptions {
  KernelBasisOptions basis;
  LocalKernelOptions local;
  PoolingOptions pooling;

  void fields(Fields& f) { fields_of(f, basis, local, pooling); }
};

SetFeature fit_emk_cksvd(const EmkCksvdOptions& options, const Sample& sample, Rng rng,
                         const Progress& progress);
SetFeature load_emk_cksvd(const EmkCksvdOptions& options, const TensorReader& in);

}  // namespace muster
