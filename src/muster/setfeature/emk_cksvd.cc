#include "muster/setfeature/emk_cksvd.h"

#include "muster/setfeature/kernel_map.h"

namespace muster {

SetFeature fit_emk_cksvd(const EmkCksvdOptions& options, const Sample& sample, Rng rng,
                         const Progress& progress) {
  const LocalKernel kernel(options.local, sample.vectors, rng);
  KernelBasis basis =
      fit_kernel_basis(options.basis, kernel, sample.vectors, rng.derive("basis"), progress);
  Matrix<float> root = inverse_root(kernel, options.basis.ridge, basis.vectors);
  return SetFeature(std::make_unique<KernelMap>(kernel, std::move(basis.vectors), std::move(root),
                                                std::move(basis.objective_per_iteration)),
                    options.pooling);
}

SetFeature load_emk_cksvd(const EmkCksvdOptions& options, const TensorReader& in) {
  return SetFeature(KernelMap::load(options.local, in), options.pooling);
}

}  // namespace muster
