#include "muster/simd/shares_simd.h"

#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/shares_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vec = hn::Vec<Tag>;

constexpr float kLargestInt16 = 32767;

HWY_INLINE bool round_row(const float* HWY_RESTRICT from, const float* HWY_RESTRICT scales,
                          const float* HWY_RESTRICT weights, float most, size_t n,
                          int16_t* HWY_RESTRICT to) {
  const Tag d;
  const hn::Rebind<int16_t, Tag> d16;
  const size_t lanes = hn::Lanes(d);
  Vec largest = hn::Zero(d), total = hn::Zero(d);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    const Vec value = hn::Mul(hn::LoadU(d, from + t), hn::LoadU(d, scales + t));
    const Vec size = hn::Abs(value);
    largest = hn::Max(largest, size);
    total = hn::MulAdd(size, hn::LoadU(d, weights + t), total);
    hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(value)), d16, to + t);
  }
  float top = hn::GetLane(hn::MaxOfLanes(d, largest)), sum = hn::GetLane(hn::SumOfLanes(d, total));
  for (; t < n; ++t) {
    const float value = from[t] * scales[t];
    top = std::max(top, std::abs(value));
    sum += std::abs(value) * weights[t];
    to[t] = static_cast<int16_t>(std::lrint(std::clamp(value, -kLargestInt16, kLargestInt16)));
  }
  return top < kLargestInt16 && sum < most;
}

void round_simd(ConstMatrixView rows, const float* scales, const float* weights, float most,
                MatrixView<int16_t> out, uint8_t* fits) {
  for (size_t i = 0; i < rows.rows; ++i)
    fits[i] = round_row(rows.row(i).data(), scales, weights, most, rows.cols, out.row(i).data());
}

// |(x - mean) scale|^2
HWY_INLINE float scaled_distance(const float* HWY_RESTRICT x, const float* HWY_RESTRICT mean,
                                 const float* HWY_RESTRICT scale, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const auto off = [&](size_t t) {
    return hn::Mul(hn::Sub(hn::LoadU(d, x + t), hn::LoadU(d, mean + t)), hn::LoadU(d, scale + t));
  };
  Vec even = hn::Zero(d), odd = hn::Zero(d);
  size_t t = 0;
  for (; t + 2 * lanes <= n; t += 2 * lanes) {
    const Vec first = off(t), second = off(t + lanes);
    even = hn::MulAdd(first, first, even);
    odd = hn::MulAdd(second, second, odd);
  }
  if (t + lanes <= n) {
    const Vec first = off(t);
    even = hn::MulAdd(first, first, even);
    t += lanes;
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; t < n; ++t) {
    const float one = (x[t] - mean[t]) * scale[t];
    sum += one * one;
  }
  return sum;
}

// Calls found(j) for every value of the row that is not less than its bound.
template <class BoundAt, class Found>
HWY_INLINE void for_large(const float* row, size_t n, const BoundAt& bound_at, const Found& found) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Ge(hn::LoadU(d, row + j), bound_at(d, j)), bytes);
    uint64_t bits;
    hwy::CopyBytes<8>(bytes, &bits);
    for (; bits != 0; bits &= bits - 1) found(j + static_cast<size_t>(std::countr_zero(bits)));
  }
  const hn::CappedTag<float, 1> one;
  for (; j < n; ++j)
    if (row[j] >= hn::GetLane(bound_at(one, j))) found(j);
}

HWY_INLINE float largest_of(const float* row, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec largest = hn::Set(d, row[0]);
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) largest = hn::Max(largest, hn::LoadU(d, row + j));
  float top = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; j < n; ++j) top = std::max(top, row[j]);
  return top;
}

size_t evaluate_simd(const DiagonalGaussians& gaussians, ConstMatrixView vectors, float reach,
                     const uint8_t* fits, size_t most, MatrixView<float> log_values) {
  const size_t d = gaussians.means.cols();
  size_t evaluated = 0;
  for (size_t i = 0; i < log_values.rows && evaluated <= most; ++i) {
    const float* x = vectors.row(i).data();
    float* row = log_values.row(i).data();
    const auto evaluate = [&](size_t m) {
      row[m] = gaussians.constants[m] - 0.5f * scaled_distance(x, gaussians.means.row(m).data(),
                                                               gaussians.scales.row(m).data(), d);
      ++evaluated;
    };
    if (fits[i] == 0) {
      for (size_t m = 0; m < log_values.cols; ++m) evaluate(m);
      continue;
    }
    const float bound = largest_of(row, log_values.cols) - reach;
    for_large(
        row, log_values.cols, [&](auto tag, size_t) { return hn::Set(tag, bound); }, evaluate);
  }
  return evaluated;
}

// A tile is as many rows as a word has bits: bit i says whether a component has a share in row i.
constexpr size_t kTileRows = 64, kHalfTile = 32;

// masks[m] for the rows of a tile, the shares of row i being least[m] or more.
void find_large(ConstMatrixView shares, const float* least, size_t n, uint64_t* masks) {
  const Tag d;
  const hn::RebindToUnsigned<Tag> du;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint32_t bits[hn::MaxLanes(d)];
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Vec bound = hn::LoadU(d, least + j);
    for (size_t half = 0; half * kHalfTile < shares.rows; ++half) {
      const size_t begin = half * kHalfTile, rows = std::min(kHalfTile, shares.rows - begin);
      auto found = hn::Zero(du);
      for (size_t i = 0; i < rows; ++i) {
        const auto large = hn::Ge(hn::LoadU(d, &shares(begin + i, j)), bound);
        found = hn::Or(found, hn::And(hn::BitCast(du, hn::VecFromMask(d, large)),
                                      hn::Set(du, uint32_t{1} << i)));
      }
      hn::Store(found, du, bits);
      for (size_t v = 0; v < lanes; ++v)
        masks[j + v] = (half == 0 ? 0 : masks[j + v]) | uint64_t{bits[v]} << begin;
    }
  }
  for (; j < n; ++j) {
    masks[j] = 0;
    for (size_t i = 0; i < shares.rows; ++i) masks[j] |= uint64_t{shares(i, j) >= least[j]} << i;
  }
}

// sums and squares += those over the rows in the mask, for one strip of columns; shares are a
// column.
template <size_t kVectors>
HWY_INLINE void add_strip(ConstMatrixView x, size_t t, ConstMatrixView shares, size_t m,
                          uint64_t mask, float* HWY_RESTRICT sums, float* HWY_RESTRICT squares) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const auto at = [&](float* from, size_t v) {
    return v < kVectors ? hn::LoadU(d, from + v * lanes) : hn::Zero(d);
  };
  Vec s0 = at(sums, 0), s1 = at(sums, 1), s2 = at(sums, 2), s3 = at(sums, 3);
  Vec q0 = at(squares, 0), q1 = at(squares, 1), q2 = at(squares, 2), q3 = at(squares, 3);
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(mask));
    const float* HWY_RESTRICT from = x.data + i * x.stride + t;
    const Vec share = hn::Set(d, shares(i, m));
    const auto add = [&](size_t v, Vec& sum, Vec& square) {
      const Vec value = hn::LoadU(d, from + v * lanes), part = hn::Mul(share, value);
      sum = hn::Add(sum, part);
      square = hn::MulAdd(part, value, square);
    };
    add(0, s0, q0);
    if constexpr (kVectors == 4) {
      add(1, s1, q1);
      add(2, s2, q2);
      add(3, s3, q3);
    }
  }
  const auto put = [&](size_t v, Vec sum, Vec square) {
    hn::StoreU(sum, d, sums + v * lanes);
    hn::StoreU(square, d, squares + v * lanes);
  };
  put(0, s0, q0);
  if constexpr (kVectors == 4) {
    put(1, s1, q1);
    put(2, s2, q2);
    put(3, s3, q3);
  }
}

void add_component(ConstMatrixView x, ConstMatrixView shares, size_t m, uint64_t mask,
                   float* HWY_RESTRICT product, size_t dim) {
  const size_t lanes = hn::Lanes(Tag());
  size_t t = 0;
  for (; t + 4 * lanes <= dim; t += 4 * lanes)
    add_strip<4>(x, t, shares, m, mask, product + t, product + dim + t);
  for (; t + lanes <= dim; t += lanes)
    add_strip<1>(x, t, shares, m, mask, product + t, product + dim + t);
  if (t == dim) return;
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(mask));
    for (size_t rest = t; rest < dim; ++rest) {
      product[rest] += shares(i, m) * x(i, rest);
      product[dim + rest] += shares(i, m) * x(i, rest) * x(i, rest);
    }
  }
}

size_t add_shares_simd(ConstMatrixView shares, const float* least, ConstMatrixView vectors,
                       size_t most, MatrixView<float> products) {
  const size_t k = shares.cols;
  thread_local std::vector<uint64_t> masks;
  masks.resize(std::max(masks.size(), k));
  size_t taken = 0;
  for (size_t begin = 0; begin < shares.rows && taken <= most; begin += kTileRows) {
    const size_t rows = std::min(kTileRows, shares.rows - begin);
    const ConstMatrixView of_tile = shares.slice_rows(begin, rows),
                          x = vectors.slice_rows(begin, rows);
    find_large(of_tile, least, k, masks.data());
    for (size_t m = 0; m < k; ++m) {
      if (masks[m] == 0) continue;
      taken += static_cast<size_t>(std::popcount(masks[m]));
      add_component(x, of_tile, m, masks[m], products.row(m).data(), products.cols / 2);
    }
  }
  return taken;
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(round_simd);
HWY_EXPORT(evaluate_simd);
HWY_EXPORT(add_shares_simd);

void round_to_int16(ConstMatrixView rows, std::span<const float> scales,
                    std::span<const float> weights, float most, MatrixView<int16_t> out,
                    std::span<uint8_t> fits) {
  MUSTER_CHECK(scales.size() == rows.cols && weights.size() == rows.cols && out.cols == rows.cols &&
               out.rows == rows.rows && fits.size() == rows.rows);
  HWY_DYNAMIC_DISPATCH(round_simd)(rows, scales.data(), weights.data(), most, out, fits.data());
}

size_t evaluate_largest(const DiagonalGaussians& gaussians, ConstMatrixView vectors, float reach,
                        std::span<const uint8_t> fits, size_t most, MatrixView<float> log_values) {
  MUSTER_CHECK(log_values.rows == vectors.rows && fits.size() == vectors.rows &&
               log_values.cols == gaussians.constants.size() && log_values.cols > 0 &&
               vectors.cols >= gaussians.means.cols());
  return HWY_DYNAMIC_DISPATCH(evaluate_simd)(gaussians, vectors, reach, fits.data(), most,
                                             log_values);
}

size_t add_large_shares(ConstMatrixView shares, std::span<const float> least,
                        ConstMatrixView vectors, size_t most, MatrixView<float> products) {
  MUSTER_CHECK(shares.rows == vectors.rows && shares.cols == least.size() &&
               shares.cols == products.rows && vectors.cols * 2 >= products.cols);
  for (size_t m = 0; m < products.rows; ++m) std::ranges::fill(products.row(m), 0.0f);
  return HWY_DYNAMIC_DISPATCH(add_shares_simd)(shares, least.data(), vectors, most, products);
}

}  // namespace muster
#endif  // HWY_ONCE
