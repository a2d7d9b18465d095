#include "muster/setkernel/bin_grid.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace muster {
namespace {

constexpr double kFarthest =
    4503599627370496.0;  // 2^52: beyond it floor() of a double is no bin any more
constexpr int kMostPlanes = 56;
// Shifts are multiples of this, so that adding one to a whole number rounds nothing.
constexpr double kShiftUnits = 1024;

// What is added to every coordinate, so that none is negative: nothing below num_planes, then bits
// in turn. The bin of side 2^num_planes that holds the sample so meets its neighbours after one or
// two more levels.
uint64_t bias_of(int num_planes) {
  constexpr uint64_t kAlternating = 0x5555555555555555;
  return (kAlternating << num_planes) & ((uint64_t{1} << (kMostPlanes - 1)) - 1);
}

size_t words_of(size_t dim, int num_planes) {
  return std::max<size_t>(1, (dim * static_cast<size_t>(num_planes) + 63) / 64);
}

// Writes bits one after the other, the first into the highest place.
class BitWriter {
 public:
  explicit BitWriter(uint64_t* out) : out_(out) {}
  ~BitWriter() {
    if (filled_ > 0) *out_ = word_ << (64 - filled_);
  }
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;
  void put(uint64_t bit) {
    word_ = (word_ << 1) | bit;
    if (++filled_ < 64) return;
    *out_++ = word_;
    word_ = 0;
    filled_ = 0;
  }

 private:
  uint64_t* out_;
  uint64_t word_ = 0;
  int filled_ = 0;
};

// Most significant byte first, by an explicit stack; few keys are compared as they are.
class KeySort {
 public:
  explicit KeySort(const BinKeys& keys) : keys_(keys), order_(keys.size()), spare_(keys.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  std::vector<uint32_t> run() {
    open_.push_back({0, order_.size(), 0});
    while (!open_.empty()) {
      const Range range = open_.back();
      open_.pop_back();
      if (range.end - range.begin <= kFew)
        compare(range);
      else
        split(range);
    }
    return std::move(order_);
  }

 private:
  static constexpr size_t kFew = 32;
  struct Range {
    size_t begin, end, byte;
  };

  uint8_t byte_of(uint32_t index, size_t byte) const {
    return static_cast<uint8_t>(keys_.key(index)[byte / 8] >> (56 - 8 * (byte % 8)));
  }

  void compare(const Range& range) {
    const size_t word = range.byte / 8;
    const auto at = [&](size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(range.begin), at(range.end), [&](uint32_t i, uint32_t j) {
      for (size_t w = word; w < keys_.words; ++w)
        if (keys_.key(i)[w] != keys_.key(j)[w]) return keys_.key(i)[w] < keys_.key(j)[w];
      return i < j;
    });
  }

  void split(const Range& range) {
    for (size_t byte = range.byte; byte < 8 * keys_.words; ++byte) {
      std::array<size_t, 257> starts{};
      for (size_t i = range.begin; i < range.end; ++i)
        ++starts[byte_of(order_[i], byte) + size_t{1}];
      if (std::ranges::find(starts, range.end - range.begin) != starts.end())
        continue;  // all alike
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::array<size_t, 257> next = starts;
      for (size_t i = range.begin; i < range.end; ++i)
        spare_[range.begin + next[byte_of(order_[i], byte)]++] = order_[i];
      std::copy(spare_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                spare_.begin() + static_cast<std::ptrdiff_t>(range.end),
                order_.begin() + static_cast<std::ptrdiff_t>(range.begin));
      for (size_t b = 0; b < 256; ++b)
        if (starts[b + 1] > starts[b] + 1)
          open_.push_back({range.begin + starts[b], range.begin + starts[b + 1], byte + 1});
      return;
    }
  }

  const BinKeys& keys_;
  std::vector<uint32_t> order_, spare_;
  std::vector<Range> open_;
};

}  // namespace

BinKeys::BinKeys(size_t dim, int num_planes, size_t count)
    : dim(dim), num_planes(num_planes), words(words_of(dim, num_planes)), bits(count * words) {}

int merge_level(const BinKeys& keys, const uint64_t* a, const uint64_t* b) {
  for (size_t w = 0; w < keys.words; ++w) {
    const uint64_t differing = a[w] ^ b[w];
    if (differing == 0) continue;
    const size_t bit = 64 * w + static_cast<size_t>(std::countl_zero(differing));
    return keys.num_planes - static_cast<int>(bit / keys.dim);
  }
  return 0;
}

bool key_less(const BinKeys& keys, const uint64_t* a, const uint64_t* b) {
  return std::lexicographical_compare(a, a + keys.words, b, b + keys.words);
}

std::vector<uint32_t> sorted_order(const BinKeys& keys) { return KeySort(keys).run(); }

BinGrid::BinGrid(double scale, ConstMatrixView sample, size_t num_pyramids, bool shift, Rng rng)
    : scale_(scale), offsets_(num_pyramids, sample.cols), num_planes_(0) {
  double range = 1;
  for (size_t t = 0; t < sample.cols; ++t) {
    double low = 0, high = 0;
    for (size_t i = 0; i < sample.rows; ++i) {
      const double bin = std::floor(static_cast<double>(sample(i, t)) * scale);
      low = i == 0 ? bin : std::min(low, bin);
      high = i == 0 ? bin : std::max(high, bin);
    }
    range = std::max(range, high - low + 1);
    for (size_t p = 0; p < num_pyramids; ++p) offsets_(p, t) = -low;
  }
  if (!(range < kFarthest))
    throw data_error(
        "pmk: the vectors span {:g} bins at scale={:g}, and at most {:g} can be told apart; use a "
        "smaller scale",
        range, scale, kFarthest);
  num_planes_ = std::bit_width(static_cast<uint64_t>(range) - 1);
  if (!shift) return;
  ++num_planes_;  // the shifted sample may straddle two bins of side 2^L
  for (double& offset : offsets_.values())
    offset += std::floor(rng.uniform(0, range) * kShiftUnits) / kShiftUnits;
}

BinGrid::BinGrid(TensorReader in)
    : scale_(in.number("scale")), offsets_(in.matrix<double>("offsets")), num_planes_(0) {
  const double planes = in.number("planes");
  in.require(planes >= 0 && planes < kMostPlanes - 1, "number of bit planes");
  in.require(offsets_.rows() > 0, "offsets of the grids");
  num_planes_ = static_cast<int>(planes);
}

void BinGrid::save(TensorWriter out) const {
  out.put("scale", scale_);
  out.put("offsets", offsets_);
  out.put("planes", num_planes_);
}

BinKeys BinGrid::keys(const char* stage, ConstMatrixView vectors, size_t pyramid) const {
  const size_t d = dim();
  if (vectors.rows > 0 && vectors.cols != d)
    throw data_error("{}: vectors of {} components were given, it was fitted on vectors of {}",
                     stage, vectors.cols, d);
  const uint64_t bias = bias_of(num_planes_);
  std::vector<uint64_t> coordinates(vectors.rows * d);
  uint64_t used = 0;
  for (size_t i = 0; i < vectors.rows; ++i)
    for (size_t t = 0; t < d; ++t) {
      const double bin =
          std::floor(static_cast<double>(vectors(i, t)) * scale_ + offsets_(pyramid, t));
      if (!(std::abs(bin) < kFarthest))
        throw data_error(
            "{}: component {} of a vector is {:g}, which at scale={:g} is beyond the 2^52 bins "
            "that can be told "
            "apart; use finite values and a smaller scale",
            stage, t, vectors(i, t), scale_);
      const uint64_t coordinate = static_cast<uint64_t>(static_cast<int64_t>(bin)) + bias;
      used |= coordinate ^ bias;
      coordinates[i * d + t] = coordinate;
    }
  BinKeys out(d, std::max(num_planes_, static_cast<int>(std::bit_width(used))), vectors.rows);
  for (size_t i = 0; i < vectors.rows; ++i) {
    BitWriter writer(out.key(i));
    for (int plane = out.num_planes - 1; plane >= 0; --plane)
      for (size_t t = 0; t < d; ++t) writer.put((coordinates[i * d + t] >> plane) & 1);
  }
  return out;
}

void BinGrid::widen(BinKeys& keys, int num_planes) const {
  if (keys.num_planes == num_planes) return;
  const uint64_t bias = bias_of(num_planes_);
  BinKeys wide(keys.dim, num_planes, keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    BitWriter writer(wide.key(i));
    for (int plane = num_planes - 1; plane >= keys.num_planes; --plane)
      for (size_t t = 0; t < keys.dim; ++t) writer.put((bias >> plane) & 1);
    const size_t old_bits = keys.dim * static_cast<size_t>(keys.num_planes);
    for (size_t b = 0; b < old_bits; ++b) writer.put((keys.key(i)[b / 64] >> (63 - b % 64)) & 1);
  }
  keys = std::move(wide);
}

}  // namespace muster
