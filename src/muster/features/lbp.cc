#include "muster/features/lbp.h"

#include <array>
#include <bit>
#include <cmath>

namespace muster {
namespace {

constexpr int kCells = 2;
constexpr size_t kBins = 59;
constexpr size_t kDim = kCells * kCells * kBins;

// The bin of every code: uniform ones in rising order, then the rest.
std::array<uint8_t, 256> bins_of_codes() {
  std::array<uint8_t, 256> out{};
  uint8_t next = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const auto bits = static_cast<uint8_t>(code);
    const int changes = std::popcount(static_cast<uint8_t>(bits ^ std::rotl(bits, 1)));
    out[code] = changes <= 2 ? next++ : static_cast<uint8_t>(kBins - 1);
  }
  return out;
}

// The bin of every pixel.
std::vector<uint8_t> pattern_image(const Image& image) {
  static const std::array<uint8_t, 256> kBinOf = bins_of_codes();
  constexpr int kNeighbours[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {1, 0},
                                     {1, 1},   {0, 1},  {-1, 1}, {-1, 0}};
  const Matrix<float> light = grey(image);
  std::vector<uint8_t> out(light.size());
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const float centre = light(static_cast<size_t>(y), static_cast<size_t>(x));
      unsigned code = 0;
      for (unsigned k = 0; k < 8; ++k) {
        const int nx = std::clamp(x + kNeighbours[k][0], 0, image.width - 1);
        const int ny = std::clamp(y + kNeighbours[k][1], 0, image.height - 1);
        if (light(static_cast<size_t>(ny), static_cast<size_t>(nx)) >= centre) code |= 1u << k;
      }
      out[static_cast<size_t>(y) * light.cols() + static_cast<size_t>(x)] = kBinOf[code];
    }
  return out;
}

class Lbp final : public Extractor {
 public:
  explicit Lbp(const LbpOptions& options) : options_(options) {}
  size_t dim() const override { return kDim; }

  VectorSet extract(const Image& image) const override {
    const auto describe_patch = [&](const std::vector<uint8_t>& patterns, int x0, int y0, int size,
                                    std::span<float> out) {
      describe(patterns, image.width, x0, y0, size, out);
    };
    return describe_patches(
        {image.width, image.height, options_.size, options_.step}, kDim,
        [&] { return pattern_image(image); }, describe_patch);
  }

 private:
  static void describe(const std::vector<uint8_t>& patterns, int width, int x0, int y0, int size,
                       std::span<float> out) {
    const auto edge = [size](int cell) { return cell * size / kCells; };
    for (int r = 0; r < kCells; ++r)
      for (int c = 0; c < kCells; ++c) {
        float* cell = out.data() + static_cast<size_t>(kCells * r + c) * kBins;
        for (int y = y0 + edge(r); y < y0 + edge(r + 1); ++y)
          for (int x = x0 + edge(c); x < x0 + edge(c + 1); ++x)
            ++cell[patterns[static_cast<size_t>(y * width + x)]];
        const auto pixels = static_cast<float>((edge(r + 1) - edge(r)) * (edge(c + 1) - edge(c)));
        for (size_t bin = 0; bin < kBins; ++bin) cell[bin] = std::sqrt(cell[bin] / pixels);
      }
  }

  LbpOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_lbp(const LbpOptions& options) {
  return make_extractor<Lbp>("lbp", options);
}

}  // namespace muster
