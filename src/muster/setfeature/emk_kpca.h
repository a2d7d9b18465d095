// Efficient match kernel by kernel PCA (EMK 3.1): phi(x) = Lambda^-1/2 U' k_F(x), with U, Lambda
// the D largest eigenpairs of the kernel matrix of F random local features. Not centred, because
// dot products must approximate the kernel itself. Cost O(m F d + D F) per set: it grows with the
// sample F, as the paper warns; fit O(F^2 (d + D)).
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct EmkKpcaOptions {
  int dim = 1000;
  int samples = 5000;
  LocalKernelOptions local;
  PoolingOptions pooling;

  void fields(Fields& f);
};

SetFeature fit_emk_kpca(const EmkKpcaOptions& options, const Sample& sample, Rng rng,
                        const Progress& progress);
SetFeature load_emk_kpca(const EmkKpcaOptions& options, const TensorReader& in);

}  // namespace muster
