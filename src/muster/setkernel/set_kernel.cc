#include "muster/setkernel/set_kernel.h"

namespace muster {

std::vector<std::shared_ptr<const SetKernel>> SetKernel::candidates(RepresentedSpan) const {
  return {shared_from_this()};
}

}  // namespace muster
