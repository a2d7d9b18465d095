// From the sorted bins of many sets to the weighted intersections of all pairs (bin_tree.h).
#pragma once

#include "muster/pyramid/bin_grid.h"
#include "muster/pyramid/bin_tree.h"

namespace muster {

// The bins of level 0 that one set fills: distinct keys, increasing, and how many vectors each
// holds.
struct FinestBins {
  BinKeys keys;
  std::vector<uint32_t> counts;
};
FinestBins finest_bins(const BinKeys& keys);

// Adds to `sums`, which knows the sets by their index in `sets`. Cost: a sort of all bins, then the
// bins of all levels that two or more sets touch.
void add_pyramid_bins(const BinGrid& grid, std::span<const FinestBins* const> sets,
                      const LevelsWeight& weight, IntersectionSums& sums);

// The same sum for one pair alone, by a merge of its two lists: for few sets against many.
double pair_intersection(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                         const LevelsWeight& weight);

// The same sum divided among the vectors of x: what the sets have in common in a bin, equally among
// those of x in it. Adds `factor` times the part of one vector in bin i of x to parts[i].
void add_pair_parts(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                    const LevelsWeight& weight, double factor, std::span<double> parts);

}  // namespace muster
