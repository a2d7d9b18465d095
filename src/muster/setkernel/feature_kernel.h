// Kernels between the vectors that a set feature makes of the sets (EMK 4: bow with a Gaussian
// kernel):
//
//   linear        x.y
//   rbf           exp(-gamma |x - y|^2)
//   chi2          exp(-gamma sum_t (x_t - y_t)^2 / (x_t + y_t))
//   intersection  sum_t min(x_t, y_t)
//
// gamma=auto offers a grid around 1 / mean distance of the training sets to cross-validation.
// chi2 and intersection require non-negative vectors. Cost of a Gram matrix: O(n^2 D), by tiles.
#pragma once

#include "muster/core/options.h"
#include "muster/setfeature/set_feature.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class FeatureKernelKind { kLinear, kRbf, kChi2, kIntersection };

struct WidthOptions {
  std::optional<double> gamma;

  void fields(Fields& f) {
    f("gamma", gamma, "width; auto is found by cross-validation around 1 / mean distance")
        .range(1e-12, 1e12)
        .paper("EMK 4");
  }
};

std::shared_ptr<const SetKernel> make_feature_kernel(FeatureKernelKind kind,
                                                     std::optional<double> gamma,
                                                     std::shared_ptr<const SetFeature> feature);
// `feature` is loaded by the caller; the width comes from the file if it was settled.
std::shared_ptr<const SetKernel> load_feature_kernel(FeatureKernelKind kind,
                                                     std::shared_ptr<const SetFeature> feature,
                                                     const TensorReader& in);

// The set as a plain vector, for all kernels that represent sets this way.
class VectorRepresentation final : public Representation {
 public:
  explicit VectorRepresentation(AlignedVector<float> values) : values(std::move(values)) {}
  size_t num_bytes() const override { return values.size() * sizeof(float); }
  AlignedVector<float> values;
};

}  // namespace muster
