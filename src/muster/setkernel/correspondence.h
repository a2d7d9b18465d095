// Which vectors of two sets a matching kernel pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "muster/core/vector_set.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct Correspondence {
  size_t a, b;    // rows of the two sets
  int level;      // of the pyramid where the two first share a bin; 0 is the finest
  double weight;  // what the pair adds to the kernel before normalisation

  bool operator==(const Correspondence&) const = default;
};

// A kernel that implies correspondences: pmk, vg-pmk, greedy and matching do.
class ImpliesMatches {
 public:
  virtual ~ImpliesMatches() = default;
  // Every vector of the smaller set is paired once; ordered by level, then by rows. If there are
  // several pyramids, the one with the largest sum of weights decides. Deterministic.
  virtual std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const = 0;
};

// By a fitted pmk or vg-pmk kernel; any other kernel is a usage error. The weights add up to the
// kernel of one pyramid before normalisation. Cost O(m d log D) and a sort.
std::vector<Correspondence> pyramid_matches(const SetKernel& kernel, const VectorSet& a,
                                            const VectorSet& b);

// One vector of two sets in an order in which the bins of every level are runs.
struct NestedPoint {
  bool from_b;
  uint32_t row;
  int merge_level;  // the finest level at which it shares a bin with the point before it
};

// Pairs points where they first share a bin, level by level: in each bin, as many as both sets have
// left there. weight_of(k, level) is the weight of the bin of points[k] at a level.
std::vector<Correspondence> match_nested(
    std::span<const NestedPoint> points, int num_levels,
    const std::function<double(size_t k, int level)>& weight_of);

}  // namespace muster
