// The sorted keys of many sets, cut into consecutive ranges of about equal size, each of which can
// be worked on alone. Cuts are at the edges of bins as coarse as can be had, so that few bins have
// keys in two ranges. The keys alone decide where they are.
#pragma once

#include "muster/pyramid/bin_grid.h"

namespace muster {

class KeyRanges {
 public:
  // Keys of one length, those of a set increasing.
  KeyRanges(std::span<const BinKeys* const> sets, size_t keys_per_range);

  // No range is empty where there are keys at all.
  size_t size() const { return begins_.rows() - 1; }
  // Of the keys of a set, [begin, end) are in a range.
  size_t begin(size_t set, size_t range) const { return begins_(range, set); }
  size_t end(size_t set, size_t range) const { return begins_(range + 1, set); }
  // From which level on the first key of a range shares a bin with the last one before it;
  // kNoNeighbour of the first range and of size().
  int merge_level(size_t range) const { return merge_levels_[range]; }

 private:
  Matrix<uint32_t> begins_;  // ranges and the end x sets
  std::vector<int> merge_levels_;
};

}  // namespace muster
