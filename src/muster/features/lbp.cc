#include "muster/features/lbp.h"

#include <array>
#include <bit>

#include "muster/simd/label_counts.h"

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

// The grey picture with a margin of one pixel, which is that on the edge.
Matrix<float> padded_grey(const Image& image) {
  const Matrix<float> light = grey(image);
  Matrix<float> out(light.rows() + 2, light.cols() + 2);
  for (size_t y = 0; y < out.rows(); ++y) {
    const auto from = light.row(std::clamp<size_t>(y, 1, light.rows()) - 1);
    const auto to = out.row(y);
    std::ranges::copy(from, to.begin() + 1);
    to.front() = from.front();
    to.back() = from.back();
  }
  return out;
}

// The bin of every pixel.
Matrix<uint8_t> pattern_image(const Image& image) {
  static const std::array<uint8_t, 256> kBinOf = bins_of_codes();
  constexpr int kNeighbours[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {1, 0},
                                     {1, 1},   {0, 1},  {-1, 1}, {-1, 0}};
  const Matrix<float> light = padded_grey(image);
  Matrix<uint8_t> out(light.rows() - 2, light.cols() - 2);
  std::vector<uint32_t> codes(out.cols());
  for (size_t y = 0; y < out.rows(); ++y) {
    const float* centre = light.row(y + 1).data() + 1;
    std::ranges::fill(codes, 0u);
    for (unsigned k = 0; k < 8; ++k) {
      const auto [dx, dy] = kNeighbours[k];
      const float* neighbour = centre + dy * static_cast<ptrdiff_t>(light.cols()) + dx;
      for (size_t x = 0; x < codes.size(); ++x)
        codes[x] |= static_cast<uint32_t>(neighbour[x] >= centre[x]) << k;
    }
    for (size_t x = 0; x < codes.size(); ++x) out(y, x) = kBinOf[codes[x]];
  }
  return out;
}

int edge(int cell, int size) { return cell * size / kCells; }

// The cells of the patches of one size: fed with the running sums of patterns (label_counts.h) at
// every row where a cell begins or ends. Of each row of patches, the sums at its last such row are
// kept until the next one.
class CellsOfSize {
 public:
  CellsOfSize(const GridAxis& x, const GridAxis& y, size_t begin)
      : x_(x), y_(y), begin_(begin), slots_(static_cast<size_t>((y.size - 1) / y.step) + 1) {
    for (int i = 0; i < x.count; ++i)
      for (int c = 0; c <= kCells; ++c)
        corners_.push_back(static_cast<uint32_t>(x.first_pixel(i) + edge(c, x.size)));
    kept_.resize(slots_ * corners_.size() * kLabelBins);
  }

  // `sums` are those of the rows above y.
  void at_row(int y, std::span<const uint32_t> sums, Matrix<float>& out) {
    // The rows of patches that have begun by y and do not end before it.
    const int last = std::min(y_.count - 1, (y - y_.offset) / y_.step);
    for (int j = std::max(0, last - static_cast<int>(slots_)); j <= last && y >= y_.offset; ++j)
      for (int r = 0; r <= kCells; ++r)
        if (y_.first_pixel(j) + edge(r, y_.size) == y) take(static_cast<size_t>(j), r, sums, out);
  }

 private:
  void take(size_t j, int r, std::span<const uint32_t> sums, Matrix<float>& out) {
    const size_t length = corners_.size() * kLabelBins;
    const std::span<uint32_t> kept = std::span(kept_).subspan(j % slots_ * length, length);
    if (r > 0) {
      const auto columns = static_cast<size_t>(x_.count);
      float* first = &out(begin_ + j * columns, static_cast<size_t>((r - 1) * kCells) * kBins);
      cell_label_roots(kept, sums, corners_, kCells, edge(r, y_.size) - edge(r - 1, y_.size),
                       MatrixView<float>(first, columns, kCells * kBins, kDim));
    }
    if (r == kCells) return;
    for (size_t k = 0; k < corners_.size(); ++k)
      std::copy_n(sums.data() + kLabelBins * corners_[k], kLabelBins, kept.data() + kLabelBins * k);
  }

  GridAxis x_, y_;
  size_t begin_;  // row of the set
  size_t slots_;  // rows of patches that share rows of pixels
  std::vector<uint32_t> corners_;
  AlignedVector<uint32_t> kept_;
};

class Lbp final : public Extractor {
 public:
  explicit Lbp(const LbpOptions& options) : options_(options) {}
  size_t dim() const override { return kDim; }

  VectorSet extract(const Image& image) const override {
    const PatchGrids grids(image.width, image.height, options_.size, options_.step);
    VectorSet set = grids.make_set(kDim);
    std::vector<CellsOfSize> sizes;
    grids.for_each_size([&](const GridAxis& x, const GridAxis& y, size_t begin) {
      if (x.count > 0 && y.count > 0) sizes.emplace_back(x, y, begin);
    });
    if (sizes.empty()) return set;
    const Matrix<uint8_t> patterns = pattern_image(image);
    AlignedVector<uint32_t> sums(kLabelBins * (patterns.cols() + 1));
    for (int y = 0; y <= image.height; ++y) {
      for (CellsOfSize& cells : sizes) cells.at_row(y, sums, set.vectors);
      if (y < image.height) add_label_row(patterns.row(static_cast<size_t>(y)), sums);
    }
    return set;
  }

 private:
  LbpOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_lbp(const LbpOptions& options) {
  return make_extractor<Lbp>("lbp", options);
}

}  // namespace muster
