#include "muster/setkernel/kernel_transform.h"

namespace muster {

Represented bases_of(RepresentedSpan sets) {
  Represented out;
  out.reserve(sets.size());
  for (const auto& set : sets) out.push_back(dynamic_cast<const WrappedSet&>(*set).base);
  return out;
}

}  // namespace muster
