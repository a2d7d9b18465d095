// Which vectors of two sets a matching kernel pairs.
#pragma once

#include <vector>

#include "muster/core/vector_set.h"

namespace muster {

struct Correspondence {
  size_t a, b;    // rows of the two sets
  int level;      // of the pyramid where the two first share a bin; 0 is the finest
  double weight;  // what the pair adds to the kernel before normalisation

  bool operator==(const Correspondence&) const = default;
};

// A kernel that implies correspondences.
class ImpliesMatches {
 public:
  virtual ~ImpliesMatches() = default;
  // Every vector of the smaller set is paired once; ordered by level, then by rows. Deterministic.
  virtual std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const = 0;
};

}  // namespace muster
