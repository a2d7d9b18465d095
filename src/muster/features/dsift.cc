#include "muster/features/dsift.h"

#include <cmath>

namespace muster {
namespace {

Matrix<float> transposed_blur(const Matrix<float>& in, std::span<const float> half_kernel) {
  Matrix<float> out(in.cols(), in.rows());
  const auto last = static_cast<ptrdiff_t>(in.cols()) - 1;
  for (size_t y = 0; y < in.rows(); ++y) {
    for (ptrdiff_t x = 0; x <= last; ++x) {
      float sum = half_kernel[0] * in(y, x);
      for (ptrdiff_t t = 1; t < std::ssize(half_kernel); ++t)
        sum +=
            half_kernel[t] * (in(y, std::max<ptrdiff_t>(x - t, 0)) + in(y, std::min(x + t, last)));
      out(x, y) = sum;
    }
  }
  return out;
}

// Gaussian blur; the border continues with its last pixel.
Matrix<float> blur(const Matrix<float>& in, double sigma) {
  std::vector<double> weights;
  double total = -1;
  for (int t = 0; t <= std::ceil(4 * sigma); ++t) {
    weights.push_back(std::exp(-0.5 * t * t / (sigma * sigma)));
    total += 2 * weights.back();
  }
  std::vector<float> half_kernel;
  for (const double weight : weights) half_kernel.push_back(static_cast<float>(weight / total));
  return transposed_blur(transposed_blur(in, half_kernel), half_kernel);
}

class Dsift final : public Extractor {
 public:
  explicit Dsift(const DsiftOptions& options) : options_(options) {}
  size_t dim() const override { return kSiftDim; }

  VectorSet extract(const Image& image) const override {
    std::vector<SiftGrid> grids;
    size_t count = 0;
    for (const int size : options_.size) {
      if (size > std::min(image.width, image.height)) continue;
      count += grids.emplace_back(image.width, image.height, size, grid_options()).patches();
    }
    VectorSet set{Matrix<float>(count, kSiftDim), Matrix<float>(count, 3), image.width,
                  image.height};
    if (count == 0) return set;
    add_gradients(options_.smooth > 0 ? blur(grey(image), options_.smooth) : grey(image), grids);
    size_t begin = 0;
    for (const SiftGrid& grid : grids) {
      grid.write(set.vectors.row(begin).data());
      write_places(grid.x_grid(), grid.y_grid(), image.width, image.height, begin, set.places);
      begin += grid.patches();
    }
    return set;
  }

 private:
  SiftGridOptions grid_options() const {
    return {options_.step, options_.window, options_.contrast, options_.clip};
  }

  DsiftOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_dsift(const DsiftOptions& options) {
  return make_extractor<Dsift>("dsift", options);
}

}  // namespace muster
