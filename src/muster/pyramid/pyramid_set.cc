#include "muster/pyramid/pyramid_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr double kAutomaticRange = 1024;
// Fewer rows or columns than this are compared pair by pair: sorting all bins together would cost
// more.
constexpr size_t kFewSets = 16;
constexpr size_t kPairsTileSide = 16;

bool increasing(const BinKeys& keys) {
  for (size_t i = 1; i < keys.size(); ++i)
    if (!key_less(keys, keys.key(i - 1), keys.key(i))) return false;
  return true;
}

}  // namespace

size_t PyramidSet::num_bytes() const {
  size_t bytes = 0;
  for (const FinestBins& bins : pyramids)
    bytes += bins.keys.bits.size() * sizeof(uint64_t) + bins.counts.size() * sizeof(uint32_t);
  return bytes;
}

const PyramidSet& pyramid_set(const Representation& set) {
  return dynamic_cast<const PyramidSet&>(set);
}

std::shared_ptr<const PyramidSet> make_pyramid_set(const char* stage, const BinGrid& grid,
                                                   ConstMatrixView vectors) {
  std::vector<FinestBins> pyramids;
  for (size_t p = 0; p < grid.num_pyramids(); ++p)
    pyramids.push_back(finest_bins(grid.keys(stage, vectors, p)));
  return std::make_shared<PyramidSet>(vectors.rows, std::move(pyramids));
}

void save_pyramid_sets(RepresentedSpan sets, const TensorWriter& out) {
  std::vector<int64_t> sizes, bins, planes;
  std::vector<uint64_t> keys;
  std::vector<uint32_t> counts;
  for (const auto& set : sets) {
    sizes.push_back(static_cast<int64_t>(pyramid_set(*set).size));
    for (const FinestBins& pyramid : pyramid_set(*set).pyramids) {
      bins.push_back(static_cast<int64_t>(pyramid.counts.size()));
      planes.push_back(pyramid.keys.num_planes);
      keys.insert(keys.end(), pyramid.keys.bits.begin(), pyramid.keys.bits.end());
      counts.insert(counts.end(), pyramid.counts.begin(), pyramid.counts.end());
    }
  }
  out.put("sizes", sizes);
  out.put("bins", bins);
  out.put("planes", planes);
  out.put("keys", keys);
  out.put("counts", counts);
}

Represented load_pyramid_sets(const BinGrid& grid, const TensorReader& in) {
  const auto sizes = in.values<int64_t>("sizes"), bins = in.values<int64_t>("bins"),
             planes = in.values<int64_t>("planes");
  const auto keys = in.values<uint64_t>("keys");
  const auto counts = in.values<uint32_t>("counts");
  const size_t num_pyramids = grid.num_pyramids();
  in.require(bins.size() == sizes.size() * num_pyramids && planes.size() == bins.size(),
             "pyramids of the stored sets");
  Represented out;
  size_t next_key = 0, next_count = 0;
  for (size_t s = 0; s < sizes.size(); ++s) {
    std::vector<FinestBins> pyramids;
    for (size_t p = s * num_pyramids; p < (s + 1) * num_pyramids; ++p) {
      in.require(bins[p] >= 0 && static_cast<uint64_t>(bins[p]) <= counts.size() - next_count,
                 "bins of the stored sets");
      in.require(planes[p] >= grid.num_planes() && planes[p] <= 64,
                 "bit planes of the stored sets");
      const auto count = static_cast<size_t>(bins[p]);
      FinestBins& pyramid = pyramids.emplace_back(
          FinestBins{BinKeys(grid.dim(), static_cast<int>(planes[p]), 0), {}});
      in.require(count <= (keys.size() - next_key) / pyramid.keys.words, "keys of the stored sets");
      const auto from = keys.begin() + static_cast<std::ptrdiff_t>(next_key);
      next_key += count * pyramid.keys.words;
      pyramid.keys.bits.assign(from, keys.begin() + static_cast<std::ptrdiff_t>(next_key));
      in.require(increasing(pyramid.keys), "order of the stored keys");
      pyramid.counts.assign(counts.begin() + static_cast<std::ptrdiff_t>(next_count),
                            counts.begin() + static_cast<std::ptrdiff_t>(next_count + count));
      next_count += count;
    }
    in.require(sizes[s] >= 0, "sizes of the stored sets");
    out.push_back(std::make_shared<PyramidSet>(static_cast<size_t>(sizes[s]), std::move(pyramids)));
  }
  return out;
}

void pyramid_intersections(const BinGrid& grid, RepresentedSpan a, RepresentedSpan b,
                           const LevelsWeight& weight, MatrixView<double> out,
                           const Progress& progress) {
  const bool symmetric = a.data() == b.data() && a.size() == b.size();
  if (!symmetric && std::min(a.size(), b.size()) < kFewSets) {
    shared_tiles(out, kPairsTileSide, false, progress, [&](const Tile& tile) {
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
        for (size_t j = tile.col; j < tile.col + tile.num_cols; ++j) {
          out(i, j) = 0;
          for (size_t p = 0; p < grid.num_pyramids(); ++p)
            out(i, j) += pair_intersection(grid, pyramid_set(*a[i]).pyramids[p],
                                           pyramid_set(*b[j]).pyramids[p], weight);
        }
    });
    return;
  }
  for (size_t i = 0; i < out.rows; ++i) std::ranges::fill(out.row(i), 0.0);
  ProgressStep step(progress, "kernel matrix", grid.num_pyramids());
  for (size_t p = 0; p < grid.num_pyramids(); ++p) {
    std::vector<const FinestBins*> sets;
    for (const auto& set : a) sets.push_back(&pyramid_set(*set).pyramids[p]);
    if (!symmetric)
      for (const auto& set : b) sets.push_back(&pyramid_set(*set).pyramids[p]);
    IntersectionSums sums({a.size(), b.size(), symmetric}, out);
    add_pyramid_bins(grid, sets, weight, sums);
    sums.finish();
    step.tick();
  }
}

double automatic_scale(ConstMatrixView sample) {
  bool whole = true;
  double widest = 0;
  for (size_t t = 0; t < sample.cols; ++t) {
    float low = 0, high = 0;
    for (size_t i = 0; i < sample.rows; ++i) {
      const float value = sample(i, t);
      whole = whole && value == std::floor(value);
      low = i == 0 ? value : std::min(low, value);
      high = i == 0 ? value : std::max(high, value);
    }
    widest = std::max(widest, static_cast<double>(high) - low);
  }
  return whole || !(widest > 0) ? 1 : kAutomaticRange / widest;
}

}  // namespace muster
