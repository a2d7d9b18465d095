#include "muster/pyramid/bin_grid.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace muster {
namespace {

constexpr double kFarthest =
    4503599627370496.0;  // 2^52: floor() of a double beyond it no longer tells bins apart
constexpr int kMostPlanes = 56;
// Shifts are multiples of this, so that adding one to a whole number rounds nothing.
constexpr double kShiftUnits = 1024;

// What is added to every coordinate, so that none is negative: nothing below num_planes, then bits
// in turn. That way the bin of side 2^num_planes that holds the sample meets its neighbours after
// one or two more levels.
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

// Eight bits at a time from the first in which keys differ, by an explicit stack; few keys are
// compared as they are. The word that is being sorted by travels with the key's index, so that
// sorting looks at memory in order.
class KeySort {
 public:
  explicit KeySort(const BinKeys& keys) : keys_(keys), entries_(keys.size()), spare_(keys.size()) {
    for (size_t i = 0; i < entries_.size(); ++i)
      entries_[i] = {keys.key(i)[0], static_cast<uint32_t>(i)};
  }

  std::vector<uint32_t> run() {
    open_.push_back({0, entries_.size(), 0});
    while (!open_.empty()) {
      const Range range = open_.back();
      open_.pop_back();
      if (range.end - range.begin <= kFew)
        compare(range);
      else
        split(range);
    }
    std::vector<uint32_t> order(entries_.size());
    std::ranges::transform(entries_, order.begin(), &Entry::index);
    return order;
  }

 private:
  static constexpr size_t kFew = 32;
  struct Entry {
    uint64_t word;
    uint32_t index;
  };
  // Keys that agree in all words before `word`.
  struct Range {
    size_t begin, end, word;
  };

  std::span<Entry> entries_of(const Range& range) {
    return std::span(entries_).subspan(range.begin, range.end - range.begin);
  }

  void compare(const Range& range) {
    std::ranges::sort(entries_of(range), [&](const Entry& a, const Entry& b) {
      if (a.word != b.word) return a.word < b.word;
      for (size_t w = range.word + 1; w < keys_.words; ++w)
        if (keys_.key(a.index)[w] != keys_.key(b.index)[w])
          return keys_.key(a.index)[w] < keys_.key(b.index)[w];
      return a.index < b.index;
    });
  }

  void split(Range range) {
    const std::span<Entry> entries = entries_of(range);
    uint64_t differing = bits_that_differ(entries);
    while (differing == 0) {
      if (++range.word == keys_.words) return;
      for (Entry& entry : entries) entry.word = keys_.key(entry.index)[range.word];
      differing = bits_that_differ(entries);
    }
    const int shift = std::max(0, 56 - std::countl_zero(differing));
    const auto digit = [&](const Entry& entry) {
      return static_cast<uint8_t>(entry.word >> shift);
    };
    std::array<size_t, 257> starts{};
    for (const Entry& entry : entries) ++starts[digit(entry) + size_t{1}];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::array<size_t, 257> next = starts;
    for (const Entry& entry : entries) spare_[next[digit(entry)]++] = entry;
    std::copy_n(spare_.begin(), entries.size(), entries.begin());
    for (size_t d = 0; d < 256; ++d)
      if (starts[d + 1] > starts[d] + 1)
        open_.push_back({range.begin + starts[d], range.begin + starts[d + 1], range.word});
  }

  static uint64_t bits_that_differ(std::span<const Entry> entries) {
    uint64_t differing = 0;
    for (const Entry& entry : entries) differing |= entry.word ^ entries[0].word;
    return differing;
  }

  const BinKeys& keys_;
  std::vector<Entry> entries_, spare_;
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

void round_down(const BinKeys& keys, uint64_t* key, int level) {
  const size_t kept = keys.dim * static_cast<size_t>(keys.num_planes - level);
  for (size_t w = kept / 64; w < keys.words; ++w)
    key[w] &= w == kept / 64 && kept % 64 > 0 ? ~uint64_t{0} << (64 - kept % 64) : 0;
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

BinGrid::BinGrid(const TensorReader& in)
    : scale_(in.number("scale")), offsets_(in.matrix<double>("offsets")), num_planes_(0) {
  const double planes = in.number("planes");
  in.require(planes >= 0 && planes < kMostPlanes - 1, "number of bit planes");
  in.require(!offsets_.empty(), "offsets of the grids");
  in.require(scale_ > 0, "a scale that is not positive");
  in.require_input_dim(offsets_.cols());
  num_planes_ = static_cast<int>(planes);
}

void BinGrid::save(const TensorWriter& out) const {
  out.put("scale", scale_);
  out.put("offsets", offsets_);
  out.put("planes", num_planes_);
}

BinKeys BinGrid::keys(const char* stage, ConstMatrixView vectors, size_t pyramid) const {
  const size_t d = dim();
  if (vectors.rows > 0 && vectors.cols != d)
    throw data_error("{}: vectors of {} components were given, but it was fitted on vectors of {}",
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
            "that can be told apart; use finite values and a smaller scale",
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
