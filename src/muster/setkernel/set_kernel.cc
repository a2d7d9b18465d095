#include "muster/setkernel/set_kernel.h"

namespace muster {

std::vector<std::shared_ptr<const SetKernel>> SetKernel::candidates(RepresentedSpan) const {
  return {shared_from_this()};
}

void SetKernel::part_grams(RepresentedSpan, RepresentedSpan, MatrixView<double>) const {
  abort_on_bug("a kernel with parts gives them", __FILE__, __LINE__);
}

std::vector<double> SetKernel::part_weights() const { return {1}; }

std::shared_ptr<const SetKernel> SetKernel::with_weights(std::vector<double>) const {
  abort_on_bug("a kernel with parts takes their weights", __FILE__, __LINE__);
}

}  // namespace muster
