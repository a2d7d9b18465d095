#include "muster/features/sift_grid.h"

#include <array>
#include <cmath>

namespace muster {
namespace {

// A grey picture with a margin of one pixel, so that central differences need no special case. The
// margin continues the picture linearly: there the difference becomes the one-sided one.
struct PaddedGrey {
  int width, height;
  size_t stride;
  AlignedVector<float> values;

  explicit PaddedGrey(const Matrix<float>& grey)
      : width(static_cast<int>(grey.cols())),
        height(static_cast<int>(grey.rows())),
        stride(grey.cols() + 1 + kRowSlack),
        values(stride * (grey.rows() + 2) + kRowSlack) {
    for (int y = 0; y < height; ++y) {
      float* out = row(y);
      std::ranges::copy(grey.row(y), out);
      out[-1] = 2 * out[0] - out[1];
      out[width] = 2 * out[width - 1] - out[width - 2];
    }
    for (int x = 0; x < width; ++x) {
      row(-1)[x] = 2 * row(0)[x] - row(1)[x];
      row(height)[x] = 2 * row(height - 1)[x] - row(height - 2)[x];
    }
  }
  float* row(int y) { return values.data() + stride * (y + 1) + 1; }
  const float* row(int y) const { return values.data() + stride * (y + 1) + 1; }
};

// The 4 cells of a patch along one axis.
struct Cell {
  int first = 0;               // first pixel of the patch that counts
  std::vector<float> weights;  // of the pixels: linear interpolation between cells
  double window = 1;           // of the cell: mean of the window over those pixels
};

std::array<Cell, kSiftCells> make_cells(int size, SiftWindow window) {
  const double width = static_cast<double>(size) / kSiftCells;
  std::array<Cell, kSiftCells> cells;
  for (size_t k = 0; k < kSiftCells; ++k) {
    Cell& cell = cells[k];
    const double centre = width * (static_cast<double>(k) + 0.5);
    cell.first = static_cast<int>(std::floor(centre - width)) + 1;
    double total = 0;
    for (int x = cell.first; x < centre + width; ++x) {
      cell.weights.push_back(static_cast<float>(1 - std::abs(x - centre) / width));
      const double u = (x - 0.5 * size) / (0.5 * size);
      total += std::exp(-0.5 * u * u);
    }
    if (window == SiftWindow::kGaussian)
      cell.window = total / static_cast<double>(cell.weights.size());
  }
  return cells;
}

}  // namespace

AxisSums::AxisSums(const GridAxis& grid) {
  const auto cells = make_cells(grid.size, SiftWindow::kFlat);
  // Cells a whole number of pixels wide have equal weights, and patches share sums.
  const bool shared = grid.size % static_cast<int>(kSiftCells) == 0;
  groups.resize(shared ? 1 : kSiftCells);
  for (size_t g = 0; g < groups.size(); ++g) groups[g].weights = cells[g].weights;
  const auto group = [&](size_t cell) -> Group& { return groups[shared ? 0 : cell]; };
  for (int i = 0; i < grid.count; ++i)
    for (size_t k = 0; k < kSiftCells; ++k)
      group(k).first.push_back(grid.first_pixel(i) + cells[k].first);
  for (Group& g : groups) {
    std::ranges::sort(g.first);
    g.first.erase(std::unique(g.first.begin(), g.first.end()), g.first.end());
    g.begin = count;
    count += g.first.size();
  }
  for (int i = 0; i < grid.count; ++i) {
    for (size_t k = 0; k < kSiftCells; ++k) {
      const Group& g = group(k);
      const auto it = std::ranges::lower_bound(g.first, grid.first_pixel(i) + cells[k].first);
      of_patch.push_back(static_cast<uint32_t>(g.begin + (it - g.first.begin())));
    }
  }
}

SiftGrid::SiftGrid(int width, int height, int size, const SiftGridOptions& options)
    : x_grid_(width, size, options.step),
      y_grid_(height, size, options.step),
      x_(x_grid_),
      y_(y_grid_),
      sums_(kOrientations * x_.count),
      cells_(y_.count, kOrientations * x_.count) {
  const double cell = static_cast<double>(size) / kSiftCells;
  const auto cells = make_cells(size, options.window);
  for (size_t r = 0; r < kSiftCells; ++r)
    for (size_t c = 0; c < kSiftCells; ++c)
      norm_.cell_weights[kSiftCells * r + c] =
          static_cast<float>(cells[r].window * cells[c].window);
  norm_.clip = static_cast<float>(options.clip);
  // Rounding of the grey values alone stays below 1e-6.
  norm_.threshold = static_cast<float>(std::max(options.contrast, 1e-6) * cell * cell);
}

void SiftGrid::add_row(int y, const float* planes) {
  if (patches() == 0) return;
  for (const AxisSums::Group& g : x_.groups)
    sift_sum_windows(planes, g.first, g.weights, sums_.data() + kOrientations * g.begin);
  for (const AxisSums::Group& g : y_.groups) {
    auto it = std::ranges::upper_bound(g.first, y - static_cast<int>(g.weights.size()));
    for (; it != g.first.end() && *it <= y; ++it)
      sift_add_scaled(g.weights[y - *it], sums_.data(), sums_.size(),
                      cells_.row(g.begin + (it - g.first.begin())).data());
  }
}

void SiftGrid::write(float* out) const {
  for (int j = 0; j < y_grid_.count; ++j) {
    const float* rows[kSiftCells];
    for (size_t k = 0; k < kSiftCells; ++k)
      rows[k] = cells_.row(y_.of_patch[kSiftCells * j + k]).data();
    sift_gather(rows, x_.of_patch, norm_, out + kSiftDim * j * x_grid_.count);
  }
}

void add_gradients(const Matrix<float>& grey, std::vector<SiftGrid>& grids) {
  MUSTER_CHECK(grey.rows() >= 2 && grey.cols() >= 2);
  const PaddedGrey padded(grey);
  int margin = 0;
  for (const SiftGrid& grid : grids) margin = std::max(margin, grid.margin());
  AlignedVector<float> planes(kOrientations * (grey.cols() + 2 * margin));
  float* first = planes.data() + kOrientations * margin;
  float* last = first + kOrientations * (grey.cols() - 1);
  for (int y = -margin; y < padded.height + margin; ++y) {
    const int row = std::clamp(y, 0, padded.height - 1);
    if (y == row || y == -margin) {
      sift_orientation_row(padded.row(row - 1), padded.row(row), padded.row(row + 1), grey.cols(),
                           first);
      for (int m = 1; m <= margin; ++m) {
        std::copy_n(first, kOrientations, first - kOrientations * m);
        std::copy_n(last, kOrientations, last + kOrientations * m);
      }
    }
    for (SiftGrid& grid : grids) grid.add_row(y, first);
  }
}

}  // namespace muster
