// The sorted keys of many sets, cut into consecutive ranges of about equal size, each of which can
// be worked on alone. Cuts are at the edges of the coarsest bins possible, so that few bins have
// keys in two ranges. The cuts depend on the keys alone.
#pragma once

#include "muster/pyramid/bin_grid.h"

namespace muster {

class KeyRanges {
 public:
  // Keys of one length, those of a set increasing.
  KeyRanges(std::span<const BinKeys* const> sets, size_t keys_per_range);

  // No range is empty unless there are no keys at all.
  size_t size() const { return begins_.rows() - 1; }
  // Of the keys of a set, [begin, end) are in a range.
  size_t begin(size_t set, size_t range) const { return begins_(range, set); }
  size_t end(size_t set, size_t range) const { return begins_(range + 1, set); }
  // The level from which the first key of a range shares a bin with the last key before it;
  // kNoNeighbour for the first range and for size().
  int merge_level(size_t range) const { return merge_levels_[range]; }

 private:
  Matrix<uint32_t> begins_;  // ranges and the end x sets
  std::vector<int> merge_levels_;
};

}  // namespace muster
