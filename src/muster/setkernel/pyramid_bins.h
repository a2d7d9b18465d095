// From the sorted bins of many sets to the weighted intersections of all pairs. In the tree of bins
// over all sets a bin that levels a .. b-1 leave as it is counts once, with what those levels weigh
// together.
#pragma once

#include <functional>

#include "muster/setkernel/bin_grid.h"
#include "muster/setkernel/shared_bins.h"

namespace muster {

// The bins of level 0 that one set fills: distinct keys, increasing, and how many vectors each
// holds.
struct FinestBins {
  BinKeys keys;
  std::vector<uint32_t> counts;
};
FinestBins finest_bins(const BinKeys& keys);

// weight(a, b) is the summed weight of the levels a .. b-1; of the bin that holds everything, which
// is formed at level a and stays, weight(a, kForever). Adds to `sums`, which knows the sets by
// their place in `sets`. Cost: a sort of all bins, then the bins of all levels that two or more
// sets touch.
inline constexpr int kForever = -1;
using LevelsWeight = std::function<double(int a, int b)>;
void add_pyramid_bins(const BinGrid& grid, std::span<const FinestBins* const> sets,
                      const LevelsWeight& weight, IntersectionSums& sums);

// The same sum for one pair alone, by a merge of its two lists: what few sets take against many.
double pair_intersection(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                         const LevelsWeight& weight);

}  // namespace muster
