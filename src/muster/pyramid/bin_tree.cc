#include "muster/pyramid/bin_tree.h"

#include <utility>

namespace muster {

BinTree::BinTree(const LevelsWeight& weight, const SetPairs& pairs)
    : weight_(weight), ended_(pairs), in_bin_(pairs.num_sets()) {}

void BinTree::add(int merge_level, int born, std::span<const BinCount> counts) {
  join_below(merge_level);
  open_.push_back({merge_level, born, counts_.size()});
  counts_.insert(counts_.end(), counts.begin(), counts.end());
}

void BinTree::end_before(int merge_level) {
  join_below(merge_level);
  if (!open_.empty() && open_.back().merge_level == merge_level) join_from(first_of_last_level());
}

void BinTree::hand_on(BinTree& to) const {
  for (size_t bin = 0; bin < open_.size(); ++bin)
    to.add(open_[bin].merge_level, open_[bin].born, counts_of(bin));
}

void BinTree::finish() {
  MUSTER_CHECK(open_.size() <= 1);
  if (!open_.empty()) ended_.add(weight_(open_[0].born, kForever), counts_);
}

SharedBins BinTree::take_ended() { return std::exchange(ended_, SharedBins(ended_.pairs())); }

std::span<const BinCount> BinTree::counts_of(size_t bin) const {
  const size_t end = bin + 1 < open_.size() ? open_[bin + 1].begin : counts_.size();
  return std::span(counts_).subspan(open_[bin].begin, end - open_[bin].begin);
}

size_t BinTree::first_of_last_level() const {
  size_t first = open_.size() - 1;
  while (first > 0 && open_[first - 1].merge_level == open_.back().merge_level) --first;
  return first;
}

void BinTree::join_below(int level) {
  while (!open_.empty() && open_.back().merge_level < level) {
    const size_t first = first_of_last_level();
    if (first > 0 && open_[first - 1].merge_level > open_.back().merge_level) {
      join_from(first - 1);
      continue;
    }
    // The previous bin first joins bins to its left, and those are in another part.
    join_from(first);
    return;
  }
}

// Bins that a part has joined without the bins to their left are born at the level at which they
// are joined again, so they end with no level's weight.
void BinTree::join_from(size_t first) {
  if (first + 1 == open_.size()) return;
  const int level = open_.back().merge_level;
  for (size_t bin = first; bin < open_.size(); ++bin)
    if (const auto counts = counts_of(bin); counts.size() > 1)
      ended_.add(weight_(open_[bin].born, level), counts);
  add_up_from(open_[first].begin);
  open_[first].born = level;
  open_.resize(first + 1);
}

void BinTree::add_up_from(size_t begin) {
  touched_.clear();
  for (size_t i = begin; i < counts_.size(); ++i) {
    const auto [set, count] = counts_[i];
    if (in_bin_[set] == 0) touched_.push_back(set);
    in_bin_[set] += count;
  }
  std::ranges::sort(touched_);
  counts_.resize(begin);
  for (uint32_t set : touched_) counts_.push_back({set, std::exchange(in_bin_[set], 0)});
}

}  // namespace muster
