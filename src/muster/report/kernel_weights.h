// What the weights of kernels say, from the splits of every method whose kernels were weighed (an
// internal part of html.h).
#pragma once

#include <string>
#include <vector>

#include "muster/results/results.h"

namespace muster {

// How much one of several weighed branches counts; shares of a method sum to 1.
struct BranchShareRow {
  std::string method, branch;
  double share = 0;  // the mean over splits
};
// Of methods with several branches.
std::vector<BranchShareRow> branch_shares(const Results& results);

// The record's own maps, then those of methods: the mean weights of each branch whose parts are the
// cells of a pyramid (1 + 4 + 16 + ...).
std::vector<WeightMap> weight_maps(const Results& results);

}  // namespace muster
