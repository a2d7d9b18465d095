#include "muster/cluster/sharded_vectors.h"

#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"

namespace muster {
namespace {

constexpr size_t kLargestTile = 512;
// The Gram matrix of so many items is always small enough (linear_training.h).
constexpr size_t kFewItems = 6000;
constexpr size_t kFewValues = size_t{1} << 22;

}  // namespace

bool stays_sharded(size_t num_items, size_t dim) {
  return num_items > kFewItems && num_items * dim > kFewValues;
}

ItemTiles::ItemTiles(std::span<const size_t> items)
    : owner_(items.size()), row_of_(items.size(), kElsewhere) {
  std::vector<std::vector<size_t>> groups(kItemGroups);
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t owner = rank_of_item(items[i]);
    owner_[i] = static_cast<uint16_t>(owner);
    if (!divides_here() || owner == world().rank()) groups[group_of_item(items[i])].push_back(i);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const size_t first = positions_.size(), count = groups[g].size();
    for (const size_t position : groups[g]) {
      row_of_[position] = static_cast<uint32_t>(positions_.size());
      positions_.push_back(position);
    }
    const size_t parts = (count + kLargestTile - 1) / kLargestTile;
    for (size_t part = 0; part < parts; ++part)
      tiles_.push_back({first + part * count / parts, first + (part + 1) * count / parts, g});
  }
}

}  // namespace muster
