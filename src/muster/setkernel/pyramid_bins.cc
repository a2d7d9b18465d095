#include "muster/setkernel/pyramid_bins.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

// Keys of all sets, sorted, with the set and count of each.
struct SortedBins {
  std::vector<BinCount> counts;
  std::vector<uint8_t> merge_levels;  // with the bin before
  int num_planes = 0;
};

SortedBins sort_all(const BinGrid& grid, std::span<const FinestBins* const> sets) {
  SortedBins out;
  out.num_planes = grid.num_planes();
  size_t total = 0;
  for (const FinestBins* set : sets) {
    out.num_planes = std::max(out.num_planes, set->keys.num_planes);
    total += set->counts.size();
  }
  BinKeys all(grid.dim(), out.num_planes, total);
  std::vector<BinCount> counts;
  counts.reserve(total);
  uint64_t* next = all.bits.data();
  for (size_t s = 0; s < sets.size(); ++s) {
    if (sets[s]->keys.num_planes == out.num_planes) {
      next = std::ranges::copy(sets[s]->keys.bits, next).out;
    } else {
      BinKeys wide = sets[s]->keys;
      grid.widen(wide, out.num_planes);
      next = std::ranges::copy(wide.bits, next).out;
    }
    for (uint32_t count : sets[s]->counts) counts.push_back({static_cast<uint32_t>(s), count});
  }
  const std::vector<uint32_t> order = sorted_order(all);
  out.counts.reserve(total);
  out.merge_levels.reserve(total);
  for (size_t k = 0; k < total; ++k) {
    out.counts.push_back(counts[order[k]]);
    out.merge_levels.push_back(static_cast<uint8_t>(
        k == 0 ? 0 : merge_level(all, all.key(order[k - 1]), all.key(order[k]))));
  }
  return out;
}

// The bins of one level, each with the sets in it, from left to right; grows coarser level by
// level.
class Level {
 public:
  Level(SortedBins bins, size_t num_sets) : counts_(std::move(bins.counts)), in_bin_(num_sets) {
    for (size_t k = 0; k < counts_.size(); ++k) bins_.push_back({k + 1, 0, bins.merge_levels[k]});
  }

  bool whole() const { return bins_.size() <= 1; }

  // Joins what shares a bin at `level`; bins that end here go to emit(born, level, counts).
  template <class Emit>
  void coarsen(int level, const Emit& emit) {
    std::vector<BinCount> counts;
    counts.reserve(counts_.size());
    for (size_t begin = 0, end; begin < bins_.size(); begin = end) {
      end = begin + 1;
      while (end < bins_.size() && bins_[end].merge_level <= level) ++end;
      const size_t from = begin == 0 ? 0 : bins_[begin - 1].counts_end;
      const int merge_level = bins_[begin].merge_level;
      int born = bins_[begin].born;
      if (end > begin + 1) {
        for (size_t bin = begin, at = from; bin < end; at = bins_[bin++].counts_end)
          emit(bins_[bin].born, level, std::span(counts_).subspan(at, bins_[bin].counts_end - at));
        born = level;
      }
      append(std::span(counts_).subspan(from, bins_[end - 1].counts_end - from), end > begin + 1,
             counts);
      pending_.push_back({counts.size(), born, merge_level});
    }
    counts_ = std::move(counts);
    bins_.swap(pending_);
    pending_.clear();
  }

  template <class Emit>
  void finish(const Emit& emit) {
    if (!bins_.empty()) emit(bins_[0].born, kForever, std::span<const BinCount>(counts_));
  }

 private:
  struct Bin {
    size_t counts_end;
    int born;
    int merge_level;
  };

  // Adds up the counts of each set and appends them by set.
  void append(std::span<const BinCount> counts, bool joined, std::vector<BinCount>& out) {
    if (!joined) {
      out.insert(out.end(), counts.begin(), counts.end());
      return;
    }
    touched_.clear();
    for (const BinCount& entry : counts) {
      if (in_bin_[entry.set] == 0) touched_.push_back(entry.set);
      in_bin_[entry.set] += entry.count;
    }
    std::ranges::sort(touched_);
    for (uint32_t set : touched_) {
      out.push_back({set, in_bin_[set]});
      in_bin_[set] = 0;
    }
  }

  std::vector<BinCount> counts_;
  std::vector<Bin> bins_, pending_;
  std::vector<uint32_t> in_bin_;  // counts a set in the bin being put together
  std::vector<uint32_t> touched_;
};

// Bins of two sets from left to right, each joined with its right neighbour at the level that they
// share.
class PairTree {
 public:
  explicit PairTree(const LevelsWeight& weight) : weight_(weight) {}

  // The next bin of level 0, which shares a bin with the one before it from `merge_level` on.
  void add(int merge_level, uint32_t count_x, uint32_t count_y) {
    join_below(merge_level);
    open_.push_back({merge_level, 0, count_x, count_y});
  }

  double finish() {
    join_below(std::numeric_limits<int>::max());
    if (!open_.empty()) close(open_[0], kForever);
    return sum_;
  }

 private:
  struct Bin {
    int merge_level, born;
    uint32_t count_x, count_y;
  };

  void close(const Bin& bin, int end) {
    const uint32_t shared = std::min(bin.count_x, bin.count_y);
    if (shared > 0) sum_ += weight_(bin.born, end) * shared;
  }

  void join_below(int level) {
    while (open_.size() > 1 && open_.back().merge_level < level) {
      const Bin right = open_.back();
      open_.pop_back();
      Bin& left = open_.back();
      close(left, right.merge_level);
      close(right, right.merge_level);
      left = {left.merge_level, right.merge_level, left.count_x + right.count_x,
              left.count_y + right.count_y};
    }
  }

  const LevelsWeight& weight_;
  std::vector<Bin> open_;  // merge levels fall from left to right
  double sum_ = 0;
};

}  // namespace

FinestBins finest_bins(const BinKeys& keys) {
  const std::vector<uint32_t> order = sorted_order(keys);
  FinestBins out{BinKeys(keys.dim, keys.num_planes, 0), {}};
  for (size_t k = 0; k < order.size(); ++k) {
    const uint64_t* key = keys.key(order[k]);
    if (k > 0 && std::equal(key, key + keys.words, keys.key(order[k - 1]))) {
      ++out.counts.back();
      continue;
    }
    out.keys.bits.insert(out.keys.bits.end(), key, key + keys.words);
    out.counts.push_back(1);
  }
  out.keys.bits.shrink_to_fit();
  out.counts.shrink_to_fit();
  return out;
}

void add_pyramid_bins(const BinGrid& grid, std::span<const FinestBins* const> sets,
                      const LevelsWeight& weight, IntersectionSums& sums) {
  const auto emit = [&](int born, int end, std::span<const BinCount> counts) {
    if (counts.size() > 1) sums.add(weight(born, end), counts);
  };
  SortedBins bins = sort_all(grid, sets);
  const int num_planes = bins.num_planes;
  Level level(std::move(bins), sets.size());
  for (int i = 0; i <= num_planes && !level.whole(); ++i) level.coarsen(i, emit);
  MUSTER_CHECK(level.whole());
  level.finish(emit);
}

double pair_intersection(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                         const LevelsWeight& weight) {
  if (x.keys.num_planes != y.keys.num_planes) {
    FinestBins wide = x.keys.num_planes < y.keys.num_planes ? x : y;
    const FinestBins& other = x.keys.num_planes < y.keys.num_planes ? y : x;
    grid.widen(wide.keys, other.keys.num_planes);
    return pair_intersection(grid, wide, other, weight);
  }
  PairTree tree(weight);
  const uint64_t* before = nullptr;
  const auto next = [&](const uint64_t* key, uint32_t count_x, uint32_t count_y) {
    tree.add(before ? merge_level(x.keys, before, key) : 0, count_x, count_y);
    before = key;
  };
  size_t i = 0, j = 0;
  while (i < x.counts.size() || j < y.counts.size()) {
    if (j == y.counts.size() ||
        (i < x.counts.size() && key_less(x.keys, x.keys.key(i), y.keys.key(j)))) {
      next(x.keys.key(i), x.counts[i], 0);
      ++i;
    } else {
      next(y.keys.key(j), 0, y.counts[j]);
      ++j;
    }
  }
  return tree.finish();
}

}  // namespace muster
