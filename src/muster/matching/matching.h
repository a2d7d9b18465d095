// The optimal partial matching (PMK 4.1): every vector x of the smaller set gets a vector pi(x) of
// the larger set to itself, so that
//   distance=false   K(X, Y) = max_pi sum_x k(x, pi(x))       a similarity; not a Mercer kernel
//   distance=true    D(X, Y) = min_pi sum_x |x - pi(x)|       a cost, in the L1 or L2 norm
// Exact, by shortest augmenting paths (assignment.h). An empty set has value 0 with everything.
// The kernel implies matches (correspondence.h): x with pi(x), all at level 0, weighted by what
// they add. Cost O(m^2 d) per pair and O(m^3) at worst for the solver; memory O(m^2) per thread.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class GroundDistance { kL1, kL2 };

struct MatchingOptions {
  bool distance = false;
  GroundDistance ground = GroundDistance::kL1;
  LocalKernelOptions local;

  void fields(Fields& f) {
    f("distance", distance,
      "the smallest cost, which is a distance, instead of the largest similarity")
        .paper("PMK 4.1");
    f.choice("ground", ground, {"l1", "l2"}, "distance=true: distance between two vectors");
    local.fields(f);
  }
  bool is_distance() const { return distance; }
};

std::shared_ptr<const SetKernel> fit_matching(const MatchingOptions& options, const Sample& sample,
                                              Rng rng, const Progress& progress);
std::shared_ptr<const SetKernel> load_matching(const MatchingOptions& options,
                                               const TensorReader& in);

}  // namespace muster
