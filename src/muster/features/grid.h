// The regular grid of square patches that dense features share.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "muster/core/options.h"
#include "muster/core/vector_set.h"

namespace muster {

// Patches along one side of a picture: patch i covers pixels [offset + i step, offset + i step +
// size). They lie wholly inside and the grid is centred.
struct GridAxis {
  int size = 0, step = 0, offset = 0, count = 0;

  GridAxis(int length, int size, int step) : size(size), step(step) {
    if (length < size) return;
    count = (length - size) / step + 1;
    offset = (length - size) % step / 2;
  }
  int first_pixel(int patch) const { return offset + patch * step; }
};

// The options that every dense feature has. `least_size`: of a patch, so that no cell is empty.
void grid_fields(Fields& f, int& step, std::vector<int>& size, int least_size, const char* paper);

// Grids of several patch sizes over one picture.
class PatchGrids {
 public:
  PatchGrids(int width, int height, std::span<const int> sizes, int step);

  size_t count() const { return count_; }
  // Places written, vectors zero.
  VectorSet make_set(size_t dim) const;

  // body(x, y, row): both axes of the patches of every size, and the row of the first of them.
  template <class Body>
  void for_each_size(const Body& body) const {
    size_t row = 0;
    for (const auto& [x, y] : grids_) {
      body(x, y, row);
      row += static_cast<size_t>(x.count) * static_cast<size_t>(y.count);
    }
  }

  // body(x0, y0, size, row): the upper left pixel and the side of every patch, in the order of the
  // set's rows.
  template <class Body>
  void for_each_patch(const Body& body) const {
    for_each_size([&](const GridAxis& x, const GridAxis& y, size_t row) {
      for (int j = 0; j < y.count; ++j)
        for (int i = 0; i < x.count; ++i) body(x.first_pixel(i), y.first_pixel(j), x.size, row++);
    });
  }

 private:
  int width_, height_;
  std::vector<std::pair<GridAxis, GridAxis>> grids_;
  size_t count_ = 0;
};

// The set of a picture's patches. prepare() makes what the patches are described from, once and
// only if there are any; describe(prepared, x0, y0, size, row of the set) describes one of them.
template <class Prepare, class Describe>
VectorSet describe_patches(const PatchGrids& grids, size_t dim, const Prepare& prepare,
                           const Describe& describe) {
  VectorSet set = grids.make_set(dim);
  if (grids.count() == 0) return set;
  const auto prepared = prepare();
  grids.for_each_patch([&](int x0, int y0, int size, size_t row) {
    describe(prepared, x0, y0, size, set.vectors.row(row));
  });
  return set;
}

// Writes the places of a grid's patches, row by row, from row `begin` of `places` on.
void write_places(const GridAxis& x, const GridAxis& y, int width, int height, size_t begin,
                  Matrix<float>& places);

}  // namespace muster
