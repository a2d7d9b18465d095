// Sets for timing the pyramid match: clustered points in 12 dimensions with values in [0, 512) (9
// levels and one for the shift).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/pyramid/pmk.h"

namespace muster::bench {

// Points around 20 of 100 common centres, as local features of pictures lie around common patterns.
inline std::vector<VectorSet> clustered_sets(size_t count, size_t points) {
  constexpr size_t kDim = 12, kClusters = 100;
  constexpr double kRange = 512;
  Rng rng(1);
  Matrix<double> centres(kClusters, kDim);
  for (double& value : centres.values()) value = rng.uniform(0, kRange);
  std::vector<VectorSet> out;
  for (size_t s = 0; s < count; ++s) {
    Rng stream = rng.derive(s);
    const std::vector<size_t> own = stream.sample(kClusters, 20);
    VectorSet set{Matrix<float>(points, kDim), {}, 0, 0};
    for (size_t i = 0; i < points; ++i) {
      const auto centre = centres.row(own[stream.below(own.size())]);
      for (size_t t = 0; t < kDim; ++t)
        set.vectors(i, t) = static_cast<float>(
            std::floor(std::clamp(centre[t] + 20 * stream.normal(), 0.0, kRange - 1)));
    }
    out.push_back(std::move(set));
  }
  return out;
}

inline std::shared_ptr<const SetKernel> pyramid_match(const std::vector<VectorSet>& sets) {
  PmkOptions options;
  options.scale = 1;
  return fit_pmk(options, {sets[0].vectors, {}, 0}, Rng(1), {});
}

}  // namespace muster::bench
