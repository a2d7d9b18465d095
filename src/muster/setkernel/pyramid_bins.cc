#include "muster/setkernel/pyramid_bins.h"

#include <algorithm>

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
    out.merge_levels.push_back(static_cast<uint8_t>(k == 0 ? 0 : merge_level(all, order[k - 1], order[k])));
  }
  return out;
}

// The bins of one level, each with the sets in it, from left to right; grows coarser level by level.
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
      append(std::span(counts_).subspan(from, bins_[end - 1].counts_end - from), end > begin + 1, counts);
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
  std::vector<uint32_t> in_bin_;   // counts a set in the bin being put together
  std::vector<uint32_t> touched_;
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
                      const std::function<double(int a, int b)>& weight, IntersectionSums& sums) {
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

}  // namespace muster
