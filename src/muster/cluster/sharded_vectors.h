// Vectors that stay on the rank that made them, for work that is a sum over items. Rows are in
// tiles, each of one group of items, so that tiles are the same whatever rank they are on: what is
// computed from a tile, and added up by shared_sum.h, is the same bytes for any number of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// Where the items of a list are.
class ItemTiles {
 public:
  // Rows [begin, end) here.
  struct Tile {
    size_t begin, end, group;
    size_t rows() const { return end - begin; }
  };

  // Items by their number in their source, as rank_of_item takes them.
  explicit ItemTiles(std::span<const size_t> items);

  size_t num_items() const { return row_of_.size(); }  // on all ranks
  size_t num_here() const { return positions_.size(); }
  // By row here, the item's position in the list.
  const std::vector<size_t>& positions() const { return positions_; }
  const std::vector<Tile>& tiles() const { return tiles_; }
  size_t owner(size_t position) const { return owner_[position]; }
  bool is_here(size_t position) const { return row_of_[position] != kElsewhere; }
  // Requires is_here().
  size_t row_of(size_t position) const { return row_of_[position]; }

 private:
  static constexpr uint32_t kElsewhere = ~uint32_t{0};

  std::vector<size_t> positions_;
  std::vector<Tile> tiles_;
  std::vector<uint16_t> owner_;
  std::vector<uint32_t> row_of_;
};

// Whether so many vectors are kept where they are made. Fewer are collected on all ranks. As models
// depend on it, it must not depend on the number of ranks.
bool stays_sharded(size_t num_items, size_t dim);

struct ShardedVectors {
  ShardedVectors(std::span<const size_t> items, size_t dim)
      : tiles(items), rows(tiles.num_here(), dim) {}

  ItemTiles tiles;
  Matrix<float> rows;  // those here

  ConstMatrixView of(const ItemTiles::Tile& tile) const {
    return rows.view().slice_rows(tile.begin, tile.rows());
  }
};

}  // namespace muster
