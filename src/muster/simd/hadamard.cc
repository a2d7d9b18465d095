#include "muster/simd/hadamard.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "muster/core/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/hadamard.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "muster/simd/cosine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// A tile holds as many vectors as there are lanes: component t of all of them is row t.
struct Loader {
  const float* tile;
  const float* signs;  // or null
  size_t lanes;

  HWY_INLINE Vec operator()(size_t t) const {
    const Vec row = hn::Load(Tag(), tile + t * lanes);
    return signs ? hn::Mul(row, hn::Set(Tag(), signs[t])) : row;
  }
};

HWY_INLINE void butterfly(Vec& a, Vec& b) {
  const Vec sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

// Two stages on four rows.
HWY_INLINE void butterflies(Vec& a, Vec& b, Vec& c, Vec& e) {
  butterfly(a, b);
  butterfly(c, e);
  butterfly(a, c);
  butterfly(b, e);
}

template <class... Rows>
HWY_INLINE void store_rows(float* to, size_t step, Rows... rows) {
  size_t at = 0;
  ((hn::Store(rows, Tag(), to + at), at += step), ...);
}

// Two stages of the transform, of rows h and 2h apart.
HWY_INLINE void two_stages(const Loader in, float* out, size_t n, size_t h) {
  for (size_t block = 0; block < n; block += 4 * h)
    for (size_t t = block; t < block + h; ++t) {
      Vec a = in(t), b = in(t + h), c = in(t + 2 * h), e = in(t + 3 * h);
      butterflies(a, b, c, e);
      store_rows(out + t * in.lanes, h * in.lanes, a, b, c, e);
    }
}

// Three stages, of rows h, 2h and 4h apart.
HWY_INLINE void three_stages(const Loader in, float* out, size_t n, size_t h) {
  for (size_t block = 0; block < n; block += 8 * h)
    for (size_t t = block; t < block + h; ++t) {
      Vec v0 = in(t), v1 = in(t + h), v2 = in(t + 2 * h), v3 = in(t + 3 * h);
      Vec v4 = in(t + 4 * h), v5 = in(t + 5 * h), v6 = in(t + 6 * h), v7 = in(t + 7 * h);
      butterflies(v0, v1, v2, v3);
      butterflies(v4, v5, v6, v7);
      butterfly(v0, v4);
      butterfly(v1, v5);
      butterfly(v2, v6);
      butterfly(v3, v7);
      store_rows(out + t * in.lanes, h * in.lanes, v0, v1, v2, v3, v4, v5, v6, v7);
    }
}

// out = H S in for every lane; n >= 4 rows, out may be in.
void signed_transform(const float* in, const float* signs, float* out, size_t n, size_t lanes) {
  const int stages = std::bit_width(n) - 1;
  Loader from{in, signs, lanes};
  size_t h = 1;
  for (int by_two = (3 - stages % 3) % 3; by_two > 0; --by_two, h *= 4) {
    two_stages(from, out, n, h);
    from = {out, nullptr, lanes};
  }
  for (; h < n; h *= 8) {
    three_stages(from, out, n, h);
    from = {out, nullptr, lanes};
  }
}

// The vectors from `begin` on become a tile; lanes without a vector and components beyond its last
// are 0.
void load_tile(ConstMatrixView vectors, size_t begin, float* tile, size_t n, size_t lanes) {
  const size_t count = std::min(lanes, vectors.rows - begin);
  if (count < lanes || vectors.cols < n) std::fill_n(tile, n * lanes, 0.0f);
  for (size_t lane = 0; lane < count; ++lane) {
    const float* row = vectors.row(begin + lane).data();
    for (size_t t = 0; t < vectors.cols; ++t) tile[t * lanes + lane] = row[t];
  }
}

// Vectors after the shared transform: 128 KiB stay in the second-level cache.
constexpr size_t kValuesAtOnce = 32768;

void hadamard_cosines_simd(ConstMatrixView vectors, const Matrix<float>& signs,
                           std::span<const float> lengths, const float* phases, float* sum) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), n = signs.cols(), tile_size = n * lanes;
  const size_t tiles_at_once = std::max<size_t>(1, kValuesAtOnce / tile_size);
  thread_local AlignedVector<float> buffer;
  buffer.resize((tiles_at_once + 2) * tile_size + 2 * n);
  float* const tiles = buffer.data();
  float* const work = tiles + tiles_at_once * tile_size;
  float* const sums = work + tile_size;
  float* const scale = sums + tile_size;
  float* const phase = scale + n;
  const auto to_turns = static_cast<float>(kTurnsPerRadian / std::pow(static_cast<double>(n), 1.5));
  for (size_t begin = 0; begin < vectors.rows; begin += tiles_at_once * lanes) {
    const size_t count = std::min(tiles_at_once * lanes, vectors.rows - begin);
    const size_t num_tiles = (count + lanes - 1) / lanes;
    for (size_t i = 0; i < num_tiles; ++i) {
      load_tile(vectors, begin + i * lanes, work, n, lanes);
      signed_transform(work, signs.row(0).data(), tiles + i * tile_size, n, lanes);
    }
    for (size_t first = 0; first < lengths.size(); first += n) {
      const size_t rows = std::min(n, lengths.size() - first), block = first / n;
      for (size_t t = 0; t < rows; ++t) {
        scale[t] = lengths[first + t] * to_turns;
        phase[t] = phases[first + t] * kTurnsPerRadian;
      }
      std::fill_n(sums, rows * lanes, 0.0f);
      for (size_t i = 0; i < num_tiles; ++i) {
        signed_transform(tiles + i * tile_size, signs.row(1 + 2 * block).data(), work, n, lanes);
        signed_transform(work, signs.row(2 + 2 * block).data(), work, n, lanes);
        const auto counts = hn::FirstN(d, std::min(lanes, count - i * lanes));
        for (size_t t = 0; t < rows; ++t) {
          const Vec turns =
              hn::MulAdd(hn::Load(d, work + t * lanes), hn::Set(d, scale[t]), hn::Set(d, phase[t]));
          const Vec cosine = hn::IfThenElseZero(counts, cos_turns(d, turns));
          hn::Store(hn::Add(hn::Load(d, sums + t * lanes), cosine), d, sums + t * lanes);
        }
      }
      for (size_t t = 0; t < rows; ++t)
        sum[first + t] += hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums + t * lanes)));
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(hadamard_cosines_simd);

namespace {

Matrix<float> draw_signs(size_t rows, size_t n, Rng rng) {
  Matrix<float> out(rows, n);
  for (float& sign : out.values()) sign = rng.uniform() < 0.5 ? -1.0f : 1.0f;
  return out;
}

}  // namespace

size_t HadamardDirections::padded_dim(size_t d) { return std::max<size_t>(64, std::bit_ceil(d)); }

size_t HadamardDirections::sign_rows(size_t d, size_t directions) {
  const size_t n = padded_dim(d);
  return 1 + 2 * ((directions + n - 1) / n);
}

HadamardDirections::HadamardDirections(size_t d, std::vector<float> lengths, Rng rng)
    : d_(d),
      lengths_(std::move(lengths)),
      signs_(draw_signs(sign_rows(d, lengths_.size()), padded_dim(d), rng)) {}

HadamardDirections::HadamardDirections(size_t d, std::vector<float> lengths, Matrix<float> signs)
    : d_(d), lengths_(std::move(lengths)), signs_(std::move(signs)) {
  MUSTER_CHECK(signs_.cols() == padded_dim(d_) && signs_.rows() == sign_rows(d_, lengths_.size()));
}

void HadamardDirections::add_cosines(ConstMatrixView vectors, std::span<const float> phases,
                                     std::span<float> sum) const {
  MUSTER_CHECK(vectors.cols == d_ && phases.size() == size() && sum.size() == size());
  HWY_DYNAMIC_DISPATCH(hadamard_cosines_simd)(vectors, signs_, lengths_, phases.data(), sum.data());
}

}  // namespace muster
#endif  // HWY_ONCE
