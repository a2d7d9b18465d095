#include "muster/setkernel/set_kernel.h"

#include <algorithm>

namespace muster {

Represented spread_over(RepresentedSpan sets, size_t most) {
  const size_t count = std::min(sets.size(), most);
  Represented out;
  for (size_t i = 0; i < count; ++i) out.push_back(sets[i * sets.size() / count]);
  return out;
}

std::shared_ptr<const Representation> SetKernel::represent_vector(std::span<const float>) const {
  abort_on_bug("only a kernel on a set feature takes its vectors", __FILE__, __LINE__);
}

std::vector<std::shared_ptr<const SetKernel>> SetKernel::candidates(RepresentedSpan) const {
  return {shared_from_this()};
}

std::optional<VectorShares> SetKernel::shares(const VectorSet&, RepresentedSpan,
                                              std::span<const double>) const {
  return std::nullopt;
}

void SetKernel::part_grams(RepresentedSpan, RepresentedSpan, MatrixView<double>) const {
  abort_on_bug("a kernel with parts gives them", __FILE__, __LINE__);
}

std::vector<double> SetKernel::part_weights() const { return {1}; }

std::shared_ptr<const SetKernel> SetKernel::with_weights(std::vector<double>) const {
  abort_on_bug("a kernel with parts takes their weights", __FILE__, __LINE__);
}

void require_weights_taken(const SetKernel& kernel, const VectorSet& set) {
  if (set.has_weights() && !kernel.takes_weights())
    throw data_error(
        "it has weights, which this kernel between sets does not take; leave them out, or choose a "
        "method that sums over vectors, such as fisher or emk-fourier");
}

}  // namespace muster
