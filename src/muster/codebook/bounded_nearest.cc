#include "muster/codebook/bounded_nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "muster/cluster/shared_for.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/math/nearest.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr size_t kGroupSize = 16;
constexpr size_t kBlockRows = 1024;
constexpr size_t kTileRows = 64;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Single distances cost about this much more than those of a whole block at once.
constexpr double kPenaltyOfSome = 2;
constexpr size_t kMostBounds = size_t{1} << 28;  // 1 GiB
// Products in single precision are this exact, in units of the squared norms.
constexpr float kRounding = 1e-5f;
constexpr int kPowerSteps = 5;

// The direction in which these rows vary most, roughly.
std::vector<double> widest_direction(ConstMatrixView rows, std::span<const uint32_t> of,
                                     std::vector<double>& mean) {
  std::fill(mean.begin(), mean.end(), 0.0);
  for (const uint32_t r : of) axpy(1.0 / static_cast<double>(of.size()), rows.row(r), mean);
  std::vector<double> direction(rows.cols), next(rows.cols);
  double farthest = -1;
  for (const uint32_t r : of) {
    double distance = 0;
    for (size_t t = 0; t < rows.cols; ++t)
      distance += (rows(r, t) - mean[t]) * (rows(r, t) - mean[t]);
    if (distance <= farthest) continue;
    farthest = distance;
    for (size_t t = 0; t < rows.cols; ++t) direction[t] = rows(r, t) - mean[t];
  }
  for (int step = 0; step < kPowerSteps; ++step) {
    double offset = 0, length = 0;
    for (size_t t = 0; t < rows.cols; ++t) offset += mean[t] * direction[t];
    std::ranges::fill(next, 0.0);
    double sum = 0;
    for (const uint32_t r : of) {
      const double along = dot(rows.row(r), direction) - offset;
      axpy(along, rows.row(r), next);
      sum += along;
    }
    for (size_t t = 0; t < rows.cols; ++t) {
      next[t] -= sum * mean[t];
      length += next[t] * next[t];
    }
    if (!(length > 0)) break;
    for (size_t t = 0; t < rows.cols; ++t) direction[t] = next[t] / std::sqrt(length);
  }
  return direction;
}

// Rows in an order in which runs of kGroupSize are neighbours: halved along their widest direction,
// again and again.
void order_by_halves(ConstMatrixView rows, std::span<uint32_t> order) {
  if (order.size() <= kGroupSize) return;
  std::vector<double> mean(rows.cols);
  const std::vector<double> direction = widest_direction(rows, order, mean);
  std::vector<double> along(rows.rows);
  for (const uint32_t r : order) along[r] = dot(rows.row(r), direction);
  const size_t half = (order.size() / kGroupSize + 1) / 2 * kGroupSize;
  std::ranges::nth_element(
      order, order.begin() + static_cast<std::ptrdiff_t>(half),
      [&](uint32_t a, uint32_t b) { return along[a] != along[b] ? along[a] < along[b] : a < b; });
  order_by_halves(rows, order.first(half));
  order_by_halves(rows, order.subspan(half));
}

size_t groups_of(size_t num_centres) { return (num_centres + kGroupSize - 1) / kGroupSize; }

// The best score of a group with one centre left out, the centre that has it, and the next best.
struct Best {
  float first = -kInfinity, second = -kInfinity;
  size_t place = 0;
};

Best best_of_group(const float* products, const float* half_norms, size_t without) {
  Best best;
  for (size_t r = 0; r < kGroupSize; ++r) {
    const float score = products[r] - half_norms[r];
    if (r == without || score <= best.second) continue;
    if (score > best.first) {
      best.second = best.first;
      best.first = score;
      best.place = r;
    } else {
      best.second = score;
    }
  }
  return best;
}

}  // namespace

double Assignment::mean_error() const {
  return std::accumulate(squared_distances.begin(), squared_distances.end(), 0.0) /
         static_cast<double>(squared_distances.size());
}

void shared_assignment(size_t n, Assignment& out,
                       const std::function<void(size_t begin, size_t end)>& assign) {
  out.nearest.resize(n);
  out.squared_distances.resize(n);
  shared_for((n + kBlockRows - 1) / kBlockRows, 1,
             {rows_of(out.nearest, kBlockRows), rows_of(out.squared_distances, kBlockRows)},
             [&](size_t block, size_t) {
               assign(block * kBlockRows, std::min(n, (block + 1) * kBlockRows));
             });
}

// What is known about the vectors of a block while it is worked on. Scores are x.c - |c|^2 / 2.
struct BoundedNearest::Block {
  ConstMatrixView vectors;
  std::span<const float> norms;
  MatrixView<float> bounds;
  std::vector<uint32_t> places;                   // of the nearest centre so far
  std::vector<float> scores;                      // of it
  std::vector<std::vector<uint32_t>> rows_to_do;  // by group
  float rounding = 0;  // of a squared distance, beside the vector's own share

  // At most the distance that belongs to a score.
  float least_distance(size_t row, float score) const {
    return std::sqrt(std::max(0.0f, norms[row] - 2 * score - kRounding * norms[row] - rounding));
  }
  // At least the distance to the nearest centre so far.
  float most_distance(size_t row) const {
    return std::sqrt(
        std::max(0.0f, norms[row] - 2 * scores[row] + kRounding * norms[row] + rounding));
  }
};

bool BoundedNearest::pays(size_t num_vectors, size_t num_centres, size_t dim) {
  return num_centres >= 8 * kGroupSize && dim >= kGroupSize && num_vectors >= 4 * num_centres &&
         num_vectors * groups_of(num_centres) <= kMostBounds;
}

BoundedNearest::BoundedNearest(ConstMatrixView vectors, ConstMatrixView centres)
    : vectors_(vectors),
      num_groups_(groups_of(centres.rows)),
      place_of_(centres.rows),
      centre_at_(num_groups_ * kGroupSize, kNone),
      by_group_(num_groups_ * kGroupSize, centres.cols),
      by_place_(num_groups_ * kGroupSize, centres.cols),
      half_norms_(num_groups_ * kGroupSize, kInfinity),
      half_norms_by_place_(num_groups_ * kGroupSize, kInfinity),
      vector_norms_(vectors.rows),
      moved_(num_groups_),
      bounds_(vectors.rows, num_groups_) {
  std::vector<uint32_t> order(centres.rows);
  std::iota(order.begin(), order.end(), 0u);
  order_by_halves(centres, order);
  for (uint32_t place = 0; place < order.size(); ++place) {
    centre_at_[place] = order[place];
    place_of_[order[place]] = place;
  }
  parallel_for(vectors.rows, kBlockRows, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      vector_norms_[i] = static_cast<float>(dot(vectors.row(i), vectors.row(i)));
  });
}

void BoundedNearest::place_centres(ConstMatrixView centres) {
  const std::vector<float> half_norms = half_squared_norms(centres);
  largest_norm_ = 2 * *std::ranges::max_element(half_norms);
  std::ranges::fill(moved_, 0.0f);
  for (size_t place = 0; place < centre_at_.size(); ++place) {
    if (centre_at_[place] == kNone) continue;
    const auto centre = centres.row(centre_at_[place]);
    const size_t group = place / kGroupSize;
    double squares = 0;
    for (size_t t = 0; t < centre.size(); ++t) {
      const double step = static_cast<double>(centre[t]) - by_group_(place, t);
      squares += step * step;
    }
    moved_[group] = std::max(moved_[group], static_cast<float>(std::sqrt(squares) * (1 + 1e-6)));
    const size_t transposed = place % kGroupSize * num_groups_ + group;
    std::ranges::copy(centre, by_group_.row(place).begin());
    std::ranges::copy(centre, by_place_.row(transposed).begin());
    half_norms_[place] = half_norms_by_place_[transposed] = half_norms[centre_at_[place]];
  }
}

void BoundedNearest::assign(ConstMatrixView centres, Assignment& out) {
  MUSTER_CHECK(centres.rows == place_of_.size() && centres.cols == vectors_.cols);
  place_centres(centres);
  // A block is always that of the same rank, which alone knows its bounds.
  shared_assignment(vectors_.rows, out,
                    [&](size_t begin, size_t end) { assign_block(begin, end, out); });
  first_ = false;
}

void BoundedNearest::assign_block(size_t begin, size_t end, Assignment& out) {
  const size_t count = end - begin;
  Block block{vectors_.slice_rows(begin, count),
              std::span(vector_norms_).subspan(begin, count),
              MatrixView<float>(bounds_.row(begin).data(), count, num_groups_),
              std::vector<uint32_t>(count),
              std::vector<float>(count),
              std::vector<std::vector<uint32_t>>(num_groups_),
              kRounding * largest_norm_};
  size_t to_do = 0;
  for (size_t row = 0; row < count && !first_; ++row) {
    const uint32_t place = block.places[row] = place_of_[out.nearest[begin + row]];
    block.scores[row] =
        static_cast<float>(dot(block.vectors.row(row), by_group_.row(place)) - half_norms_[place]);
    const float distance = block.most_distance(row);
    const auto bounds = block.bounds.row(row);
    for (size_t g = 0; g < num_groups_; ++g) bounds[g] -= moved_[g];
    for (uint32_t g = 0; g < num_groups_; ++g)
      if (bounds[g] < distance) {
        block.rows_to_do[g].push_back(static_cast<uint32_t>(row));
        ++to_do;
      }
  }
  if (first_ ||
      kPenaltyOfSome * static_cast<double>(to_do) > static_cast<double>(count * num_groups_))
    all_distances(block);
  else
    some_distances(block);
  for (size_t row = 0; row < count; ++row) {
    out.nearest[begin + row] = centre_at_[block.places[row]];
    out.squared_distances[begin + row] = std::max(0.0f, block.norms[row] - 2 * block.scores[row]);
  }
}

void BoundedNearest::all_distances(Block& block) const {
  const size_t places = by_place_.rows();
  thread_local AlignedVector<float> products;
  products.resize(kTileRows * places);
  std::vector<float> best(num_groups_);
  for (size_t begin = 0; begin < block.vectors.rows; begin += kTileRows) {
    const size_t count = std::min(kTileRows, block.vectors.rows - begin);
    gemm_nt(block.vectors.slice_rows(begin, count), by_place_,
            MatrixView<float>(products.data(), count, places));
    for (size_t r = 0; r < count; ++r) {
      const float* of_row = products.data() + r * places;
      std::ranges::fill(best, -kInfinity);
      for (size_t k = 0; k < kGroupSize; ++k) {
        const float* scores = of_row + k * num_groups_;
        const float* half_norms = half_norms_by_place_.data() + k * num_groups_;
        for (size_t g = 0; g < num_groups_; ++g)
          best[g] = std::max(best[g], scores[g] - half_norms[g]);
      }
      const size_t row = begin + r;
      const auto group = static_cast<size_t>(std::ranges::max_element(best) - best.begin());
      const auto bounds = block.bounds.row(row);
      for (size_t g = 0; g < num_groups_; ++g) bounds[g] = block.least_distance(row, best[g]);
      float of_group[kGroupSize];
      for (size_t k = 0; k < kGroupSize; ++k) of_group[k] = of_row[k * num_groups_ + group];
      const Best found = best_of_group(of_group, half_norms_.data() + group * kGroupSize, kNone);
      block.places[row] = static_cast<uint32_t>(group * kGroupSize + found.place);
      block.scores[row] = found.first;
      bounds[group] = block.least_distance(row, found.second);
    }
  }
}

void BoundedNearest::some_distances(Block& block) const {
  const size_t dim = by_group_.cols();
  thread_local AlignedVector<float> gathered, products;
  const std::vector<uint32_t> old_places = block.places;
  const std::vector<float> old_scores = block.scores;
  for (size_t group = 0; group < num_groups_; ++group) {
    const std::vector<uint32_t>& rows = block.rows_to_do[group];
    if (rows.empty()) continue;
    gathered.resize(rows.size() * dim);
    products.resize(rows.size() * kGroupSize);
    for (size_t r = 0; r < rows.size(); ++r)
      std::ranges::copy(block.vectors.row(rows[r]),
                        gathered.begin() + static_cast<std::ptrdiff_t>(r * dim));
    gemm_nt(ConstMatrixView(gathered.data(), rows.size(), dim),
            by_group_.view().slice_rows(group * kGroupSize, kGroupSize),
            MatrixView<float>(products.data(), rows.size(), kGroupSize));
    for (size_t r = 0; r < rows.size(); ++r) {
      const uint32_t row = rows[r];
      const size_t old = old_places[row];
      const Best found =
          best_of_group(products.data() + r * kGroupSize, half_norms_.data() + group * kGroupSize,
                        old / kGroupSize == group ? old % kGroupSize : kNone);
      const auto bounds = block.bounds.row(row);
      if (found.first <= block.scores[row]) {
        bounds[group] = block.least_distance(row, found.first);
        continue;
      }
      // The one that was the nearest so far is now one of the others of its group.
      const uint32_t last = block.places[row];
      if (last != old)
        bounds[last / kGroupSize] =
            std::min(bounds[last / kGroupSize], block.least_distance(row, block.scores[row]));
      block.places[row] = static_cast<uint32_t>(group * kGroupSize + found.place);
      block.scores[row] = found.first;
      bounds[group] = block.least_distance(row, found.second);
    }
  }
  for (size_t row = 0; row < old_places.size(); ++row) {
    if (block.places[row] == old_places[row]) continue;
    float& bound = block.bounds(row, old_places[row] / kGroupSize);
    bound = std::min(bound, block.least_distance(row, old_scores[row]));
  }
}

}  // namespace muster
