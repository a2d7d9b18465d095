#include "muster/pyramid/pyramid_bins.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "muster/core/parallel.h"
#include "muster/pyramid/key_ranges.h"

namespace muster {
namespace {

// A range is worked on in cache, and by one thread.
constexpr size_t kKeysPerRange = size_t{1} << 13;
// What a range costs for every set is little beside its keys.
constexpr size_t kKeysPerSet = 8;
constexpr size_t kRangesAtOnce = 128;  // so that what they emit need not all be kept

// The keys of all sets with as many planes as the longest has.
class EvenKeys {
 public:
  EvenKeys(const BinGrid& grid, std::span<const FinestBins* const> sets) {
    int num_planes = grid.num_planes();
    for (const FinestBins* set : sets) num_planes = std::max(num_planes, set->keys.num_planes);
    for (const FinestBins* set : sets) {
      if (set->keys.num_planes == num_planes) {
        keys_.push_back(&set->keys);
      } else {
        grid.widen(wide_.emplace_back(set->keys), num_planes);
        keys_.push_back(&wide_.back());
      }
    }
  }
  std::span<const BinKeys* const> keys() const { return keys_; }

 private:
  std::vector<const BinKeys*> keys_;
  std::deque<BinKeys> wide_;
};

// The finest bins of many sets in one range, by increasing key.
class RangeOfBins {
 public:
  RangeOfBins(std::span<const FinestBins* const> sets, std::span<const BinKeys* const> keys,
              const KeyRanges& ranges, size_t range)
      : keys_(keys[0]->dim, keys[0]->num_planes, 0) {
    size_t count = 0;
    for (size_t s = 0; s < sets.size(); ++s) count += ranges.end(s, range) - ranges.begin(s, range);
    keys_.bits.reserve(count * keys_.words);
    counts_.reserve(count);
    for (size_t s = 0; s < sets.size(); ++s) {
      const size_t begin = ranges.begin(s, range), end = ranges.end(s, range);
      keys_.bits.insert(keys_.bits.end(), keys[s]->key(begin), keys[s]->key(end));
      for (size_t i = begin; i < end; ++i)
        counts_.push_back({static_cast<uint32_t>(s), sets[s]->counts[i]});
    }
    order_ = sorted_order(keys_);
  }

  void add_to(BinTree& tree, int first_merge_level) const {
    for (size_t k = 0; k < order_.size(); ++k)
      tree.add(k == 0 ? first_merge_level
                      : merge_level(keys_, keys_.key(order_[k - 1]), keys_.key(order_[k])),
               0, std::span(&counts_[order_[k]], 1));
  }

 private:
  BinKeys keys_;
  std::vector<BinCount> counts_;
  std::vector<uint32_t> order_;
};

// Bins of two sets from left to right, each joined with its right neighbour at the level that they
// share. Calls shared(begin, end, count_x, value) for each bin that both touch: x's finest bins in
// it, its vectors there, and the weighted intersection.
template <class Shared>
class PairTree {
 public:
  PairTree(const LevelsWeight& weight, const Shared& shared) : weight_(weight), shared_(shared) {}

  // The next bin of level 0, which shares a bin with the one before it from `merge_level` on.
  void add(int merge_level, uint32_t count_x, uint32_t count_y) {
    join_below(merge_level);
    open_.push_back({merge_level, 0, count_x, count_y, next_x_});
    if (count_x > 0) ++next_x_;
  }

  void finish() {
    join_below(std::numeric_limits<int>::max());
    if (!open_.empty()) close(open_[0], next_x_, kForever);
  }

 private:
  struct Bin {
    int merge_level, born;
    uint32_t count_x, count_y;
    size_t first_x;
  };

  void close(const Bin& bin, size_t end_x, int end) {
    const uint32_t common = std::min(bin.count_x, bin.count_y);
    if (common > 0) shared_(bin.first_x, end_x, bin.count_x, weight_(bin.born, end) * common);
  }

  void join_below(int level) {
    size_t end_x = next_x_;
    while (open_.size() > 1 && open_.back().merge_level < level) {
      const Bin right = open_.back();
      open_.pop_back();
      Bin& left = open_.back();
      close(left, right.first_x, right.merge_level);
      close(right, end_x, right.merge_level);
      left = {left.merge_level, right.merge_level, left.count_x + right.count_x,
              left.count_y + right.count_y, left.first_x};
    }
  }

  const LevelsWeight& weight_;
  const Shared& shared_;
  std::vector<Bin> open_;  // merge levels fall from left to right
  size_t next_x_ = 0;
};

// As PairTree has it, for x and y with as many planes.
template <class Shared>
void merge_pair(const FinestBins& x, const FinestBins& y, const LevelsWeight& weight,
                const Shared& shared) {
  PairTree tree(weight, shared);
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
  tree.finish();
}

// Calls visit(x, y) with as many planes in both.
template <class Visit>
void with_even_planes(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                      const Visit& visit) {
  const auto widened = [&](const FinestBins& from, int num_planes) {
    FinestBins out = from;
    grid.widen(out.keys, num_planes);
    return out;
  };
  if (x.keys.num_planes < y.keys.num_planes)
    visit(widened(x, y.keys.num_planes), y);
  else if (y.keys.num_planes < x.keys.num_planes)
    visit(x, widened(y, x.keys.num_planes));
  else
    visit(x, y);
}

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
  if (sets.empty()) return;
  const EvenKeys even(grid, sets);
  const KeyRanges ranges(even.keys(), std::max(kKeysPerRange, kKeysPerSet * sets.size()));
  BinTree whole(weight, sums.pairs());
  for (size_t first = 0; first < ranges.size(); first += kRangesAtOnce) {
    const size_t count = std::min(kRangesAtOnce, ranges.size() - first);
    std::vector<BinTree> parts(count, BinTree(weight, sums.pairs()));
    parallel_for(count, 1, [&](size_t i, size_t) {
      const size_t range = first + i;
      RangeOfBins(sets, even.keys(), ranges, range).add_to(parts[i], ranges.merge_level(range));
      parts[i].end_before(ranges.merge_level(range + 1));
    });
    for (BinTree& part : parts) {
      sums.take(part.take_ended());
      part.hand_on(whole);
    }
  }
  whole.end_before(kNoNeighbour);
  whole.finish();
  sums.take(whole.take_ended());
}

double pair_intersection(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                         const LevelsWeight& weight) {
  double sum = 0;
  with_even_planes(grid, x, y, [&](const FinestBins& even_x, const FinestBins& even_y) {
    merge_pair(even_x, even_y, weight,
               [&](size_t, size_t, uint32_t, double value) { sum += value; });
  });
  return sum;
}

void add_pair_parts(const BinGrid& grid, const FinestBins& x, const FinestBins& y,
                    const LevelsWeight& weight, double factor, std::span<double> parts) {
  MUSTER_CHECK(parts.size() == x.counts.size());
  std::vector<double> steps(parts.size() + 1);  // from one bin of x to the next
  with_even_planes(grid, x, y, [&](const FinestBins& even_x, const FinestBins& even_y) {
    merge_pair(even_x, even_y, weight,
               [&](size_t begin, size_t end, uint32_t count_x, double value) {
                 steps[begin] += factor * value / count_x;
                 steps[end] -= factor * value / count_x;
               });
  });
  double part = 0;
  for (size_t i = 0; i < parts.size(); ++i) parts[i] += part += steps[i];
}

}  // namespace muster
