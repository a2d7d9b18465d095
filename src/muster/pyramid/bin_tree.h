// The tree of bins over many sets, from left to right: bins of the finest level come in, and each
// is joined with its neighbours at the level from which they share a bin. A bin that levels a ..
// b-1 leave as it is counts once, with the summed weight of those levels. A tree may be given only
// a part of the bins; what needs the rest stays open, for a tree over the open bins of all parts.
// Cost: the sets in the bins that are joined.
#pragma once

#include <functional>

#include "muster/pyramid/shared_bins.h"

namespace muster {

// weight(a, b) is the summed weight of the levels a .. b-1; of the bin that holds everything, which
// is formed at level a and stays, weight(a, kForever).
inline constexpr int kForever = -1;
using LevelsWeight = std::function<double(int a, int b)>;

class BinTree {
 public:
  BinTree(const LevelsWeight& weight, const SetPairs& pairs);

  // The next bin, formed at level `born`, shares a bin with the one before from `merge_level` on.
  void add(int merge_level, int born, std::span<const BinCount> counts);
  // Joins what can be joined without the bin that comes next, which has this merge level.
  void end_before(int merge_level);
  // Adds the open bins to a tree that continues after the bins before them.
  void hand_on(BinTree& to) const;
  // Of a tree with all the bins, after end_before(kNoNeighbour).
  void finish();
  // The bins that were joined into others since the last call.
  SharedBins take_ended();

 private:
  struct Bin {
    int merge_level, born;
    size_t begin;  // in counts_
  };

  std::span<const BinCount> counts_of(size_t bin) const;
  size_t first_of_last_level() const;
  void join_below(int level);
  void join_from(size_t first);
  void add_up_from(size_t begin);

  const LevelsWeight& weight_;
  SharedBins ended_;
  std::vector<Bin> open_;
  std::vector<BinCount> counts_;   // of the open bins
  std::vector<uint32_t> in_bin_;   // counts per set in the bin being put together
  std::vector<uint32_t> touched_;  // sets in it
};

}  // namespace muster
