#include "muster/solve/primal_items.h"

#include <algorithm>
#include <cmath>

#include "muster/cluster/division_meter.h"
#include "muster/cluster/shared_for.h"
#include "muster/cluster/shared_sum.h"
#include "muster/core/parallel.h"
#include "muster/math/cholesky.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr size_t kTile = 256;
constexpr size_t kLargestMoments = 4096;
// Items per component that second moments are taken from.
constexpr size_t kMomentItems = 16;

ConstMatrixView columns(ConstMatrixView x, size_t begin, size_t end) {
  return {x.data + begin, x.rows, end - begin, x.stride};
}

// parallel_for over something of the rows here, of which more ranks have fewer.
void over_parts(size_t n, size_t grain, const std::function<void(size_t, size_t)>& body) {
  do_divided(kItemGroups, [&] { parallel_for(n, grain, body); });
}

}  // namespace

std::shared_ptr<const Matrix<float>> PrimalMoments::factor(double c) const {
  if (moments_.empty() || !(c > 0)) return nullptr;
  const int exponent = static_cast<int>(std::lround(std::log2(c)));
  const std::lock_guard lock(mutex_);
  if (const auto found = factors_.find(exponent); found != factors_.end()) return found->second;
  Matrix<float> out = moments_;
  for (float& value : out.values()) value = std::ldexp(value, exponent);
  for (size_t t = 0; t < out.rows(); ++t) out(t, t) += 1;
  auto made =
      factor_cholesky(out) ? std::make_shared<const Matrix<float>>(std::move(out)) : nullptr;
  return factors_[exponent] = std::move(made);
}

Matrix<float> PrimalItems::factors(const Matrix<double>& rows) const {
  Matrix<float> out(rows.rows(), vectors_.cols);
  for (size_t k = 0; k < out.rows(); ++k)
    for (size_t t = 0; t < out.cols(); ++t) out(k, t) = static_cast<float>(scale_ * rows(k, t));
  return out;
}

void PrimalItems::times(const Matrix<float>& factors, const Matrix<double>& rows, size_t begin,
                        size_t end, Matrix<float>& out) const {
  gemm_nt(factors, vectors_.slice_rows(begin, end - begin),
          MatrixView<float>(out.data() + begin, rows.rows(), end - begin, out.cols()));
  for (size_t k = 0; k < rows.rows(); ++k)
    for (size_t i = begin; i < end; ++i)
      out(k, i) += static_cast<float>(bias_ * rows(k, vectors_.cols));
}

Matrix<float> CollectedItems::times(const Matrix<double>& rows) const {
  const Matrix<float> by = factors(rows);
  Matrix<float> out(rows.rows(), vectors_.rows);
  parallel_for(vectors_.rows, kTile,
               [&](size_t begin, size_t end) { PrimalItems::times(by, rows, begin, end, out); });
  return out;
}

void CollectedItems::add(const Matrix<float>& shares, Matrix<double>& out) const {
  Matrix<float> sums(shares.rows(), vectors_.cols);
  gemm_nn_parallel(shares, vectors_, sums);
  for (size_t k = 0; k < shares.rows(); ++k) {
    for (size_t t = 0; t < vectors_.cols; ++t)
      out(k, t) += scale_ * static_cast<double>(sums(k, t));
    double total = 0;
    for (const float share : shares.row(k)) total += static_cast<double>(share);
    out(k, vectors_.cols) += bias_ * total;
  }
}

Matrix<float> CollectedItems::moments_of_all() const {
  const size_t d = vectors_.cols;
  if (d + 1 > kLargestMoments) return {};
  Matrix<float> out(d + 1, d + 1);
  const auto squared_scale = static_cast<float>(scale_ * scale_);
  parallel_for(d, kTile, [&](size_t begin, size_t end) {
    gemm_tn(vectors_, columns(vectors_, begin, end),
            MatrixView<float>(out.data() + begin, d, end - begin, d + 1), squared_scale);
  });
  std::vector<double> sums(d);
  for (size_t i = 0; i < vectors_.rows; ++i) axpy(1, vectors_.row(i), sums);
  for (size_t t = 0; t < d; ++t) out(d, t) = static_cast<float>(scale_ * bias_ * sums[t]);
  out(d, d) = static_cast<float>(bias_ * bias_ * static_cast<double>(vectors_.rows));
  return out;
}

std::vector<double> CollectedItems::totals(size_t count, const Part& part) const {
  std::vector<double> out(count);
  parallel_for(count, 1, [&](size_t k, size_t) { out[k] = part(k, 0, vectors_.rows); });
  return out;
}

ShardedItems::ShardedItems(const ShardedVectors& vectors, double largest, double scale, double bias)
    : PrimalItems(vectors.rows, scale, bias),
      sharded_(vectors),
      largest_(largest),
      moments_(sampled_moments()) {}

Matrix<float> ShardedItems::times(const Matrix<double>& rows) const {
  const Matrix<float> by = factors(rows);
  Matrix<float> out(rows.rows(), vectors_.rows);
  const auto& tiles = sharded_.tiles.tiles();
  over_parts(tiles.size(), 1, [&](size_t t, size_t) {
    PrimalItems::times(by, rows, tiles[t].begin, tiles[t].end, out);
  });
  return out;
}

// A product of each tile in single precision; their sums, over tiles and ranks, are exact.
void ShardedItems::add(const Matrix<float>& shares, Matrix<double>& out) const {
  const size_t count = shares.rows(), d = vectors_.cols;
  std::vector<double> largest(count);
  for (size_t k = 0; k < count; ++k)
    for (const float share : shares.row(k))
      largest[k] = std::max(largest[k], static_cast<double>(std::abs(share)));
  largest_over_ranks(largest);
  std::vector<Quantum> quanta;
  const double bound = static_cast<double>(sharded_.tiles.num_items()) * std::max(largest_, 1.0);
  for (size_t k = 0; k < count; ++k) quanta.emplace_back(2 * bound * largest[k]);
  std::vector<int64_t> sums(count * (d + 1));
  over_parts(d, kTile, [&](size_t begin, size_t end) {
    Matrix<float> product(count, end - begin);
    for (const ItemTiles::Tile& tile : sharded_.tiles.tiles()) {
      gemm_nn({shares.data() + tile.begin, count, tile.rows(), shares.cols()},
              columns(sharded_.of(tile), begin, end), product);
      for (size_t k = 0; k < count; ++k)
        for (size_t t = begin; t < end; ++t)
          sums[k * (d + 1) + t] += quanta[k].count(static_cast<double>(product(k, t - begin)));
    }
  });
  for (size_t k = 0; k < count; ++k)
    for (const float share : shares.row(k))
      sums[k * (d + 1) + d] += quanta[k].count(static_cast<double>(share));
  sum_over_ranks(sums);
  for (size_t k = 0; k < count; ++k) {
    for (size_t t = 0; t < d; ++t) out(k, t) += scale_ * quanta[k].value(sums[k * (d + 1) + t]);
    out(k, d) += bias_ * quanta[k].value(sums[k * (d + 1) + d]);
  }
}

// From whole groups of items, each of which is an even sample, until they are enough.
Matrix<float> ShardedItems::sampled_moments() const {
  const size_t d = vectors_.cols, n = sharded_.tiles.num_items();
  if (d + 1 > kLargestMoments) return {};
  const size_t groups = std::min(kItemGroups, kItemGroups * kMomentItems * d / n + 1);
  std::vector<ItemTiles::Tile> tiles = sharded_.tiles.tiles();
  std::erase_if(tiles, [&](const ItemTiles::Tile& tile) { return tile.group >= groups; });
  int64_t taken = 0;
  for (const ItemTiles::Tile& tile : tiles) taken += static_cast<int64_t>(tile.rows());
  sum_over_ranks({&taken, 1});
  if (taken == 0) return {};
  const double share = static_cast<double>(n) / static_cast<double>(taken);
  const Quantum of_products(2 * largest_ * largest_ * static_cast<double>(n));
  const Quantum of_values(2 * largest_ * static_cast<double>(n));
  Matrix<float> out(d + 1, d + 1);
  for (size_t begin = 0; begin < d; begin += kTile) {
    const size_t width = std::min(kTile, d - begin);
    Matrix<int64_t> sums(d + 1, width);  // the last row is of the values themselves
    over_parts(d, kTile, [&](size_t first, size_t last) {
      Matrix<float> product(last - first, width);
      for (const ItemTiles::Tile& tile : tiles) {
        const ConstMatrixView x = sharded_.of(tile);
        gemm_tn(columns(x, first, last), columns(x, begin, begin + width), product);
        for (size_t r = first; r < last; ++r)
          for (size_t c = 0; c < width; ++c)
            sums(r, c) += of_products.count(static_cast<double>(product(r - first, c)));
      }
    });
    for (const ItemTiles::Tile& tile : tiles)
      for (size_t i = tile.begin; i < tile.end; ++i)
        for (size_t c = 0; c < width; ++c)
          sums(d, c) += of_values.count(static_cast<double>(vectors_(i, begin + c)));
    sum_over_ranks(sums.values());
    for (size_t c = 0; c < width; ++c) {
      for (size_t r = 0; r < d; ++r)
        out(r, begin + c) =
            static_cast<float>(share * scale_ * scale_ * of_products.value(sums(r, c)));
      out(d, begin + c) = static_cast<float>(share * scale_ * bias_ * of_values.value(sums(d, c)));
    }
  }
  out(d, d) = static_cast<float>(bias_ * bias_ * static_cast<double>(n));
  return out;
}

std::vector<double> ShardedItems::totals(size_t count, const Part& part) const {
  const auto& tiles = sharded_.tiles.tiles();
  Matrix<double> terms(count, tiles.size());
  over_parts(tiles.size(), 1, [&](size_t t, size_t) {
    for (size_t k = 0; k < count; ++k) terms(k, t) = part(k, tiles[t].begin, tiles[t].end);
  });
  return totals_over_ranks(terms, sharded_.tiles.num_items());
}

}  // namespace muster
