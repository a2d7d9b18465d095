#include "muster/pyramid/key_ranges.h"

#include <algorithm>

#include "muster/core/parallel.h"

namespace muster {
namespace {

constexpr size_t kSamplesPerRange = 32;
// A cut may be this many samples away from the point that makes ranges equal.
constexpr size_t kSamplesAside = 8;
constexpr size_t kSetsPerTask = 16;

using Sets = std::span<const BinKeys* const>;
using Key = const uint64_t*;

size_t num_keys(Sets sets) {
  size_t total = 0;
  for (const BinKeys* set : sets) total += set->size();
  return total;
}

// One random key of every `stride`, sorted: a fixed step could hit the same position in every set.
std::vector<Key> sample_keys(Sets sets, size_t stride) {
  std::vector<Key> out;
  Rng rng(1);
  size_t next = rng.below(stride), block = 0, first = 0;
  for (const BinKeys* set : sets) {
    for (; next < first + set->size(); next = (block += stride) + rng.below(stride))
      out.push_back(set->key(next - first));
    first += set->size();
  }
  std::ranges::sort(out, [&](Key a, Key b) { return key_less(*sets[0], a, b); });
  return out;
}

// The least keys of all ranges but the first.
BinKeys find_cuts(Sets sets, size_t keys_per_range) {
  const BinKeys& like = *sets[0];
  BinKeys cuts(like.dim, like.num_planes, 0);
  const std::vector<Key> samples =
      sample_keys(sets, std::max<size_t>(1, keys_per_range / kSamplesPerRange));
  for (size_t middle = kSamplesPerRange; middle + kSamplesPerRange / 2 < samples.size();
       middle += kSamplesPerRange) {
    const auto level_before = [&](size_t i) {
      return merge_level(like, samples[i - 1], samples[i]);
    };
    size_t best = middle;
    for (size_t i = middle - kSamplesAside; i < std::min(middle + kSamplesAside, samples.size());
         ++i)
      if (level_before(i) > level_before(best)) best = i;
    if (level_before(best) == 0) continue;
    cuts.bits.insert(cuts.bits.end(), samples[best], samples[best] + like.words);
    round_down(cuts, cuts.key(cuts.size() - 1), level_before(best) - 1);
  }
  return cuts;
}

// The first key from `begin` on that is not before the cut. The steps grow, because it is near.
size_t first_not_before(const BinKeys& keys, size_t begin, Key cut) {
  const auto before = [&](size_t i) { return key_less(keys, keys.key(i), cut); };
  size_t end = begin;
  for (size_t step = 1; end < keys.size() && before(end); step *= 2) {
    begin = end + 1;
    end = std::min(end + step, keys.size());
  }
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    if (before(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace

KeyRanges::KeyRanges(Sets sets, size_t keys_per_range) : begins_(2, sets.size()) {
  BinKeys cuts;
  if (num_keys(sets) > keys_per_range) cuts = find_cuts(sets, keys_per_range);
  begins_ = Matrix<uint32_t>(cuts.size() + 2, sets.size());
  merge_levels_.assign(cuts.size() + 2, kNoNeighbour);
  parallel_for(sets.size(), kSetsPerTask, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      for (size_t c = 0; c < cuts.size(); ++c)
        begins_(c + 1, s) =
            static_cast<uint32_t>(first_not_before(*sets[s], begins_(c, s), cuts.key(c)));
      begins_(cuts.size() + 1, s) = static_cast<uint32_t>(sets[s]->size());
    }
  });
  // Of all keys before a cut, the last one shares the finest bin with the cut.
  parallel_for(cuts.size(), 1, [&](size_t c, size_t) {
    for (size_t s = 0; s < sets.size(); ++s)
      if (const size_t next = begins_(c + 1, s); next > 0)
        merge_levels_[c + 1] = std::min(
            merge_levels_[c + 1], muster::merge_level(cuts, sets[s]->key(next - 1), cuts.key(c)));
  });
}

}  // namespace muster
