#include "muster/cluster/sharded_vectors.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "muster/cluster/shared_for.h"

namespace muster {
namespace {

TEST(ItemTiles, CoverAllItemsOnceAndNeverMixGroups) {
  for (const size_t count : {0u, 1u, 300u, 200'000u}) {
    std::vector<size_t> items(count);
    std::iota(items.begin(), items.end(), size_t{7});
    const ItemTiles tiles(items);
    EXPECT_EQ(tiles.num_items(), count);
    ASSERT_EQ(tiles.num_here(), count);
    size_t next = 0;
    std::vector<char> seen(count);
    for (const ItemTiles::Tile& tile : tiles.tiles()) {
      EXPECT_EQ(tile.begin, next);
      EXPECT_GT(tile.rows(), 0u);
      EXPECT_LE(tile.rows(), 512u);
      next = tile.end;
      for (size_t row = tile.begin; row < tile.end; ++row) {
        const size_t position = tiles.positions()[row];
        ASSERT_EQ(group_of_item(items[position]), tile.group);
        EXPECT_TRUE(tiles.is_here(position));
        EXPECT_EQ(tiles.row_of(position), row);
        seen[position] = 1;
      }
    }
    EXPECT_EQ(next, count);
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), size_t{0}), count);
  }
}

TEST(StaysSharded, DependsOnSizeAlone) {
  EXPECT_FALSE(stays_sharded(6000, 1'000'000));  // their Gram matrix is small
  EXPECT_FALSE(stays_sharded(10'000, 400));
  EXPECT_TRUE(stays_sharded(10'000, 500));
  EXPECT_TRUE(stays_sharded(200'000, 100));
}

}  // namespace
}  // namespace muster
