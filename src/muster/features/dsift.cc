#include "muster/features/dsift.h"

#include <array>
#include <cmath>

#include "muster/features/grid.h"
#include "muster/math/sift_kernels.h"

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

Matrix<float> transposed_blur(const Matrix<float>& in, std::span<const float> half_kernel) {
  Matrix<float> out(in.cols(), in.rows());
  const auto last = static_cast<ptrdiff_t>(in.cols()) - 1;
  for (size_t y = 0; y < in.rows(); ++y) {
    for (ptrdiff_t x = 0; x <= last; ++x) {
      float sum = half_kernel[0] * in(y, x);
      for (size_t t = 1; t < half_kernel.size(); ++t) {
        const auto step = static_cast<ptrdiff_t>(t);
        sum += half_kernel[t] *
               (in(y, std::max<ptrdiff_t>(x - step, 0)) + in(y, std::min(x + step, last)));
      }
      out(x, y) = sum;
    }
  }
  return out;
}

// Gaussian blur; the border continues with its last pixel.
Matrix<float> blur(const Matrix<float>& in, double sigma) {
  std::vector<float> half_kernel(static_cast<size_t>(std::ceil(4 * sigma)) + 1);
  double total = 0;
  for (size_t t = 0; t < half_kernel.size(); ++t) {
    const double weight = std::exp(-0.5 * (t * t) / (sigma * sigma));
    half_kernel[t] = static_cast<float>(weight);
    total += t == 0 ? weight : 2 * weight;
  }
  for (float& weight : half_kernel) weight = static_cast<float>(weight / total);
  return transposed_blur(transposed_blur(in, half_kernel), half_kernel);
}

// The weights of pixels for the 4 cells of a patch along one axis: the triangle of linear
// interpolation between cells times the window. A cell's window starts at pixel first[k] of the
// patch.
struct CellWeights {
  std::array<int, kSiftCells> first;
  std::array<std::vector<float>, kSiftCells> weights;
  // All cells have the same weights at a whole distance, so that neighbouring patches share sums.
  bool shared = false;
};

CellWeights cell_weights(int size, DsiftWindow window) {
  const double cell = static_cast<double>(size) / kSiftCells;
  const double middle = 0.5 * (size - 1);
  CellWeights out;
  const auto taps = static_cast<size_t>(std::ceil(2 * cell));
  for (size_t k = 0; k < kSiftCells; ++k) {
    const double centre = cell * (static_cast<double>(k) + 0.5) - 0.5;
    out.first[k] = static_cast<int>(std::ceil(centre - cell));
    for (size_t t = 0; t < taps; ++t) {
      const double x = out.first[k] + static_cast<double>(t);
      const double triangle = std::max(0.0, 1 - std::abs(x - centre) / cell);
      // Lowe's window: standard deviation of half the patch.
      const double u = (x - middle) / (0.5 * size);
      const double w = window == DsiftWindow::kGaussian ? std::exp(-0.5 * u * u) : 1.0;
      out.weights[k].push_back(static_cast<float>(triangle * w));
    }
  }
  out.shared = window == DsiftWindow::kFlat && size % static_cast<int>(kSiftCells) == 0;
  return out;
}

// The sums that the patches of a grid need along one axis, each once, grouped by their weights.
struct AxisSums {
  struct Group {
    std::vector<float> weights;
    std::vector<int32_t> first;  // ascending
    size_t begin = 0;            // index of the group's first sum
  };
  std::vector<Group> groups;
  std::vector<uint32_t> of_patch;  // 4 a patch: index of the sum of each cell
  size_t count = 0;

  AxisSums(const GridAxis& grid, const CellWeights& cells) {
    groups.resize(cells.shared ? 1 : kSiftCells);
    for (size_t g = 0; g < groups.size(); ++g) groups[g].weights = cells.weights[g];
    for (int i = 0; i < grid.count; ++i)
      for (size_t k = 0; k < kSiftCells; ++k)
        group(k).first.push_back(grid.first_pixel(i) + cells.first[k]);
    for (Group& g : groups) {
      std::ranges::sort(g.first);
      g.first.erase(std::ranges::unique(g.first).begin(), g.first.end());
      g.begin = count;
      count += g.first.size();
    }
    for (int i = 0; i < grid.count; ++i) {
      for (size_t k = 0; k < kSiftCells; ++k) {
        const Group& g = group(k);
        const auto it = std::ranges::lower_bound(g.first, grid.first_pixel(i) + cells.first[k]);
        of_patch.push_back(static_cast<uint32_t>(g.begin + (it - g.first.begin())));
      }
    }
  }
  Group& group(size_t cell) { return groups[groups.size() == 1 ? 0 : cell]; }
};

// All patches of one size; fed with the rows of the picture from top to bottom.
class SizeGrid {
 public:
  SizeGrid(int width, int height, int size, const DsiftOptions& options)
      : x_grid_(width, size, options.step),
        y_grid_(height, size, options.step),
        x_(x_grid_, cell_weights(size, options.window)),
        y_(y_grid_, cell_weights(size, options.window)),
        sums_(kOrientations * x_.count),
        cells_(y_.count, kOrientations * x_.count) {
    const double cell = static_cast<double>(size) / kSiftCells;
    norm_.clip = static_cast<float>(options.clip);
    norm_.threshold = static_cast<float>(std::max(options.contrast, 1e-6) * cell * cell);
  }

  size_t patches() const { return static_cast<size_t>(x_grid_.count) * y_grid_.count; }
  const GridAxis& x_grid() const { return x_grid_; }
  const GridAxis& y_grid() const { return y_grid_; }

  void add_row(int y, const float* planes) {
    if (patches() == 0) return;
    for (const AxisSums::Group& g : x_.groups)
      sift_sum_windows(planes, g.first, g.weights, sums_.data() + kOrientations * g.begin);
    for (const AxisSums::Group& g : y_.groups) {
      const int taps = static_cast<int>(g.weights.size());
      auto it = std::ranges::upper_bound(g.first, y - taps);
      for (; it != g.first.end() && *it <= y; ++it)
        sift_add_scaled(g.weights[y - *it], sums_.data(), sums_.size(),
                        cells_.row(g.begin + (it - g.first.begin())).data());
    }
  }

  void write(float* out) const {
    for (int j = 0; j < y_grid_.count; ++j) {
      const float* rows[kSiftCells];
      for (size_t k = 0; k < kSiftCells; ++k)
        rows[k] = cells_.row(y_.of_patch[kSiftCells * j + k]).data();
      sift_gather(rows, x_.of_patch, norm_, out + kSiftDim * j * x_grid_.count);
    }
  }

 private:
  GridAxis x_grid_, y_grid_;
  AxisSums x_, y_;
  SiftNorm norm_;
  AlignedVector<float> sums_;
  Matrix<float> cells_;
};

class Dsift final : public Extractor {
 public:
  explicit Dsift(const DsiftOptions& options) : options_(options) {}
  size_t dim() const override { return kSiftDim; }

  VectorSet extract(const Image& image) const override {
    std::vector<SizeGrid> grids;
    size_t count = 0;
    for (const int size : options_.size) {
      if (size > std::min(image.width, image.height)) continue;
      count += grids.emplace_back(image.width, image.height, size, options_).patches();
    }
    VectorSet set{Matrix<float>(count, kSiftDim), Matrix<float>(count, 3), image.width,
                  image.height};
    if (count > 0) describe(image, grids, set);
    return set;
  }

 private:
  void describe(const Image& image, std::vector<SizeGrid>& grids, VectorSet& set) const {
    const PaddedGrey padded(options_.smooth > 0 ? blur(grey(image), options_.smooth) : grey(image));
    // Cells at the border reach half a cell beyond the picture, where there is no gradient.
    const size_t margin = *std::ranges::max_element(options_.size) / 2;
    AlignedVector<float> planes(kOrientations * (image.width + 2 * margin));
    float* first_pixel = planes.data() + kOrientations * margin;
    for (int y = 0; y < image.height; ++y) {
      sift_orientation_row(padded.row(y - 1), padded.row(y), padded.row(y + 1), image.width,
                           first_pixel);
      for (SizeGrid& grid : grids) grid.add_row(y, first_pixel);
    }
    size_t begin = 0;
    for (const SizeGrid& grid : grids) {
      grid.write(set.vectors.data() + kSiftDim * begin);
      write_places(grid.x_grid(), grid.y_grid(), image.width, image.height, begin, set.places);
      begin += grid.patches();
    }
  }

  DsiftOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_dsift(const DsiftOptions& options) {
  OptionsOf<DsiftOptions>(options).validate("dsift");
  return std::make_unique<Dsift>(options);
}

}  // namespace muster
