#include "muster/features/rgb.h"

#include <array>
#include <cmath>

namespace muster {
namespace {

constexpr int kCells = 4;
constexpr size_t kPerCell = 6;
constexpr size_t kDim = kCells * kCells * kPerCell;

using Sums = std::array<uint32_t, kPerCell>;  // of R, G, B and of their squares

// Sums over all pixels above and to the left. They wrap around in large pictures, but a cell's sum
// is exact: 255^2 * 250^2 (cells of patches of 1000 pixels) stays below 2^32.
class IntegralImage {
 public:
  explicit IntegralImage(const Image& image)
      : stride_(static_cast<size_t>(image.width) + 1), sums_(stride_ * (image.height + 1)) {
    const uint8_t* pixel = image.rgb.data();
    for (int y = 0; y < image.height; ++y) {
      Sums row{};
      for (int x = 0; x < image.width; ++x, pixel += 3) {
        for (size_t c = 0; c < 3; ++c) {
          row[c] += pixel[c];
          row[c + 3] += static_cast<uint32_t>(pixel[c]) * pixel[c];
        }
        const Sums& above = at(x + 1, y);
        Sums& out = sums_[stride_ * (y + 1) + x + 1];
        for (size_t j = 0; j < kPerCell; ++j) out[j] = above[j] + row[j];
      }
    }
  }
  const Sums& at(int x, int y) const { return sums_[stride_ * y + x]; }

 private:
  size_t stride_;
  std::vector<Sums> sums_;
};

void describe_cell(const IntegralImage& integral, int x0, int y0, int x1, int y1, float* out) {
  const Sums &a = integral.at(x0, y0), &b = integral.at(x1, y0);
  const Sums &c = integral.at(x0, y1), &d = integral.at(x1, y1);
  Sums sum;
  for (size_t j = 0; j < kPerCell; ++j) sum[j] = d[j] - b[j] - c[j] + a[j];
  const double n = static_cast<double>(x1 - x0) * (y1 - y0);
  for (size_t j = 0; j < 3; ++j) {
    const double mean = sum[j] / n;
    out[j] = static_cast<float>(mean / 255);
    out[j + 3] = static_cast<float>(std::sqrt(std::max(0.0, sum[j + 3] / n - mean * mean)) / 255);
  }
}

class Rgb final : public Extractor {
 public:
  explicit Rgb(const RgbOptions& options) : options_(options) {}
  size_t dim() const override { return kDim; }

  VectorSet extract(const Image& image) const override {
    return describe_patches(
        {image.width, image.height, options_.size, options_.step}, kDim,
        [&] { return IntegralImage(image); }, describe);
  }

 private:
  static void describe(const IntegralImage& integral, int x0, int y0, int size,
                       std::span<float> out) {
    const auto edge = [size](int cell) { return cell * size / kCells; };
    float* cell = out.data();
    for (int r = 0; r < kCells; ++r)
      for (int c = 0; c < kCells; ++c, cell += kPerCell)
        describe_cell(integral, x0 + edge(c), y0 + edge(r), x0 + edge(c + 1), y0 + edge(r + 1),
                      cell);
  }

  RgbOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_rgb(const RgbOptions& options) {
  return make_extractor<Rgb>("rgb", options);
}

}  // namespace muster
