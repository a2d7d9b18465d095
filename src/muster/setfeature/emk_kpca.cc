#include "muster/setfeature/emk_kpca.h"

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/nearest.h"
#include "muster/math/top_eigen.h"
#include "muster/setfeature/kernel_map.h"

namespace muster {

void EmkKpcaOptions::fields(Fields& f) {
  f("dim", dim, "dimension of the map (D); lower if the kernel matrix has a lower rank")
      .range(1, 20000)
      .paper("EMK 3.1");
  f("samples", samples,
    "local features that the components are computed from (F); the paper uses 10,000")
      .range(1, 20000)
      .paper("EMK 4");
  local.fields(f);
  pooling.fields(f);
}

SetFeature fit_emk_kpca(const EmkKpcaOptions& options, const Sample& sample, Rng rng,
                        const Progress&) {
  if (sample.vectors.rows() == 0)
    throw data_error(
        "emk-kpca: there are no vectors to learn from, because the training items gave no "
        "features");
  const LocalKernel kernel(options.local, sample.vectors, rng);
  Matrix<float> basis = select_rows(
      sample.vectors.view(),
      rng.derive("features").sample(sample.vectors.rows(), static_cast<size_t>(options.samples)));
  Matrix<float> gram(basis.rows(), basis.rows());
  const std::vector<float> half = half_squared_norms(basis);
  parallel_for(basis.rows(), 128, [&](size_t begin, size_t end) {
    kernel.block(basis.view().slice_rows(begin, end - begin),
                 std::span(half).subspan(begin, end - begin), basis, half,
                 gram.view().slice_rows(begin, end - begin));
  });
  TopEigen top = top_eigenpairs(gram, static_cast<size_t>(options.dim), rng.derive("eigen"));
  if (top.values.empty())
    throw data_error(
        "emk-kpca: the local kernel is 0 between all sampled vectors; choose another kernel or "
        "gamma");
  for (size_t j = 0; j < top.values.size(); ++j)
    for (float& value : top.vectors.row(j)) value /= static_cast<float>(std::sqrt(top.values[j]));
  return SetFeature(std::make_unique<KernelMap>(kernel, std::move(basis), std::move(top.vectors)),
                    options.pooling);
}

SetFeature load_emk_kpca(const EmkKpcaOptions& options, const TensorReader& in) {
  return SetFeature(KernelMap::load(options.local, in), options.pooling);
}

}  // namespace muster
