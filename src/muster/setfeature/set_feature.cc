#include "muster/setfeature/set_feature.h"

#include <cmath>
#include <numeric>

#include "muster/simd/elementwise.h"

namespace muster {
namespace {

// The slope of a power is infinite at 0 and says nothing of what leaving out a vector does there:
// it is taken as over a change of this part of the vector's root mean square. On drawn pictures
// (fisher, 4 classes), removing patches by evidence left 0.20 of the area under the curve of a
// random order with 0.3, 0.21 with 0.1 and 0.29 with 0.
constexpr double kPowerReach = 0.3;

size_t cells_per_side(int level) { return size_t{1} << level; }

size_t cells_up_to(int levels) {
  size_t count = 0;
  for (int level = 0; level <= levels; ++level)
    count += cells_per_side(level) * cells_per_side(level);
  return count;
}

// The set's vectors, sorted by the cell of the finest grid they lie in.
struct SortedByCell {
  Matrix<float> vectors;
  std::vector<size_t> rows;    // of the set
  std::vector<size_t> starts;  // one more than there are cells
};

SortedByCell sort_by_cell(const VectorSet& set, size_t side) {
  const size_t m = set.size();
  SortedByCell out{Matrix<float>(m, set.dim()), std::vector<size_t>(m),
                   std::vector<size_t>(side * side + 1)};
  std::vector<size_t> cells(m);
  for (size_t i = 0; i < m; ++i) {
    cells[i] = cell_of(set.places(i, 0), set.places(i, 1), side);
    ++out.starts[cells[i] + 1];
  }
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<size_t> next(out.starts.begin(), out.starts.end() - 1);
  for (size_t i = 0; i < m; ++i) {
    const size_t at = next[cells[i]]++;
    std::ranges::copy(set.vectors.row(i), out.vectors.row(at).begin());
    out.rows[at] = i;
  }
  return out;
}

// Sums of all cells of one level, row-major over the plane, and how many vectors are in each: if
// they have weights, the sum of these.
struct LevelSums {
  size_t side;
  Matrix<float> sums;
  std::vector<double> totals;

  // What a statistic takes for the number of vectors in a cell; 0 if there is none.
  size_t count(size_t cell) const {
    return totals[cell] > 0 ? std::max<size_t>(1, static_cast<size_t>(std::llround(totals[cell])))
                            : 0;
  }
  // What the sum is multiplied by, so that dividing it by count() gives the average.
  double whole(size_t cell) const { return static_cast<double>(count(cell)) / totals[cell]; }
};

// The set as it lies in the cells of the finest level. A grid of one cell takes the set as it is.
class FinestCells {
 public:
  FinestCells(const VectorSet& set, size_t side) : set_(set), side_(side) {
    if (side > 1) sorted_ = sort_by_cell(set, side);
  }

  size_t side() const { return side_; }
  size_t count(size_t cell) const {
    return side_ == 1 ? set_.size() : sorted_.starts[cell + 1] - sorted_.starts[cell];
  }
  ConstMatrixView vectors(size_t cell) const {
    if (side_ == 1) return set_.vectors;
    return sorted_.vectors.view().slice_rows(sorted_.starts[cell], count(cell));
  }
  // Of the set, of vector i of a cell.
  size_t row(size_t cell, size_t i) const {
    return side_ == 1 ? i : sorted_.rows[sorted_.starts[cell] + i];
  }
  // Of vector i of a cell.
  float weight(size_t cell, size_t i) const {
    return set_.has_weights() ? set_.weights[row(cell, i)] : 1;
  }
  bool has_weights() const { return set_.has_weights(); }

 private:
  const VectorSet& set_;
  size_t side_;
  SortedByCell sorted_;
};

// Adds the statistics of the cell's vectors, each times its weight; the sum of the weights.
double accumulate_weighted(const SetStatistic& statistic, const FinestCells& cells, size_t cell,
                           std::span<float> sum) {
  const ConstMatrixView vectors = cells.vectors(cell);
  std::vector<float> own(sum.size());
  double total = 0;
  for (size_t i = 0; i < vectors.rows; ++i) {
    const float weight = cells.weight(cell, i);
    if (weight == 0) continue;
    total += weight;
    std::ranges::fill(own, 0.0f);
    statistic.accumulate(vectors.slice_rows(i, 1), own);
    for (size_t t = 0; t < own.size(); ++t) sum[t] += weight * own[t];
  }
  return total;
}

LevelSums finest_level(const SetStatistic& statistic, const FinestCells& cells) {
  const size_t num_cells = cells.side() * cells.side();
  LevelSums out{cells.side(), Matrix<float>(num_cells, statistic.sum_dim()),
                std::vector<double>(num_cells)};
  for (size_t c = 0; c < num_cells; ++c) {
    if (cells.count(c) == 0) continue;
    if (cells.has_weights()) {
      out.totals[c] = accumulate_weighted(statistic, cells, c, out.sums.row(c));
    } else {
      out.totals[c] = static_cast<double>(cells.count(c));
      statistic.accumulate(cells.vectors(c), out.sums.row(c));
    }
  }
  return out;
}

LevelSums merge_four(const LevelSums& fine) {
  const size_t side = fine.side / 2;
  LevelSums out{side, Matrix<float>(side * side, fine.sums.cols()),
                std::vector<double>(side * side)};
  for (size_t y = 0; y < fine.side; ++y)
    for (size_t x = 0; x < fine.side; ++x) {
      const size_t from = y * fine.side + x, to = (y / 2) * side + x / 2;
      out.totals[to] += fine.totals[from];
      const auto source = fine.sums.row(from);
      const auto target = out.sums.row(to);
      for (size_t t = 0; t < target.size(); ++t) target[t] += source[t];
    }
  return out;
}

// From the whole picture to the finest level.
std::vector<LevelSums> all_levels(const SetStatistic& statistic, const FinestCells& cells) {
  std::vector<LevelSums> out{finest_level(statistic, cells)};
  while (out.back().side > 1) out.push_back(merge_four(out.back()));
  std::ranges::reverse(out);
  return out;
}

// What the finished vector of a cell of level l is multiplied by.
float cell_weight(const PoolingOptions& pooling, size_t l, double total, double of_set) {
  const double share = pooling.cells == CellWeight::kShare ? total / of_set : 1.0;
  return static_cast<float>(std::sqrt(std::ldexp(share, -static_cast<int>(l))));
}

// Makes totals that are not whole numbers so, which leaves averages as they are.
void round_totals(LevelSums& level) {
  for (size_t c = 0; c < level.totals.size(); ++c) {
    if (level.totals[c] == static_cast<double>(level.count(c))) continue;
    const auto factor = static_cast<float>(level.whole(c));
    for (float& value : level.sums.row(c)) value *= factor;
  }
}

// The cells of all levels, finished and weighed, one after the other.
void finish_levels(const SetStatistic& statistic, const PoolingOptions& pooling,
                   std::vector<LevelSums>& levels, std::span<float> out) {
  float* begin = out.data();
  for (size_t l = 0; l < levels.size(); ++l) {
    LevelSums& level = levels[l];
    round_totals(level);
    std::vector<size_t> counts(level.totals.size());
    for (size_t c = 0; c < counts.size(); ++c) counts[c] = level.count(c);
    const MatrixView<float> targets(begin, counts.size(), statistic.dim());
    statistic.finish_cells(level.sums, counts, targets);
    for (size_t c = 0; c < targets.rows; ++c) {
      if (counts[c] == 0) continue;
      const float weight = cell_weight(pooling, l, level.totals[c], levels[0].totals[0]);
      if (weight != 1)
        for (float& value : targets.row(c)) value *= weight;
    }
    begin += targets.rows * targets.cols;
  }
}

void scale_powers(const PoolingOptions& pooling, std::span<float> out) {
  if (pooling.power != 1) {
    const auto power = static_cast<float>(pooling.power);
    if (power == 0.5f)  // the usual one, and many times as fast
      signed_roots(out, 1);
    else
      for (float& value : out) value = std::copysign(std::pow(std::abs(value), power), value);
  }
  if (!pooling.l2) return;
  const double norm = sum_of_powers(ConstMatrixView(out.data(), 1, out.size()), 2);
  if (norm <= 0) return;
  const auto scale = static_cast<float>(1 / std::sqrt(norm));
  for (float& value : out) value *= scale;
}

}  // namespace

size_t cell_of(float x, float y, size_t side) {
  const auto index = [&](float place) {
    const double scaled = std::floor(static_cast<double>(place) * static_cast<double>(side));
    return static_cast<size_t>(std::clamp(scaled, 0.0, static_cast<double>(side - 1)));
  };
  return index(y) * side + index(x);
}

void SetStatistic::finish(std::span<const float> sum, size_t count, std::span<float> out) const {
  const float scale = 1.0f / static_cast<float>(count);
  for (size_t t = 0; t < sum.size(); ++t) out[t] = sum[t] * scale;
}

void SetStatistic::finish_cells(ConstMatrixView sums, std::span<const size_t> counts,
                                MatrixView<float> out) const {
  for (size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) finish(sums.row(c), counts[c], out.row(c));
}

void SetStatistic::pull_back(std::span<const float> sum, size_t count,
                             std::span<const double> gradient, std::span<double> out) const {
  MUSTER_CHECK(gradient.size() == sum.size());
  for (size_t t = 0; t < sum.size(); ++t) out[t] = gradient[t] / static_cast<double>(count);
}

void SetStatistic::project(ConstMatrixView vectors, std::span<const double> direction,
                           std::span<double> out) const {
  std::vector<float> own(sum_dim());
  for (size_t i = 0; i < vectors.rows; ++i) {
    std::ranges::fill(own, 0.0f);
    accumulate(vectors.slice_rows(i, 1), own);
    out[i] = std::inner_product(own.begin(), own.end(), direction.begin(), 0.0);
  }
}

void levels_field(Fields& f, int& levels, const char* paper) {
  f("levels", levels, "spatial pyramid: levels above the whole picture; level l has 4^l cells")
      .range(0, 5)
      .paper(paper);
}

void PoolingOptions::fields(Fields& f) {
  levels_field(f, levels, "EMK 2");
  f.choice("cells", cells, {"average", "share"},
           "spatial pyramid: a cell counts as its average, or also by its share of the vectors")
      .paper("EMK 2");
  f("power", power, "signed power applied to the finished vector; 0.5 is the square root")
      .range(0.01, 1);
  f("l2", l2, "scale the finished vector to length 1");
}

SetFeature::SetFeature(std::unique_ptr<const SetStatistic> statistic, const PoolingOptions& pooling)
    : statistic_(std::move(statistic)),
      pooling_(pooling),
      num_cells_(cells_up_to(pooling.levels)) {}

void SetFeature::require_places(const VectorSet& set) const {
  if (pooling_.levels > 0 && !set.has_places())
    throw data_error(
        "spatial pyramid: levels={} needs the place of each vector, and this set has none; "
        "give places or set levels=0",
        pooling_.levels);
}

void SetFeature::encode(const VectorSet& set, std::span<float> out) const {
  MUSTER_CHECK(out.size() == dim());
  std::ranges::fill(out, 0.0f);
  if (set.size() == 0) return;
  MUSTER_CHECK(set.dim() == input_dim());
  require_places(set);
  const FinestCells cells(set, cells_per_side(pooling_.levels));
  std::vector<LevelSums> levels = all_levels(*statistic_, cells);
  if (levels[0].totals[0] == 0) return;  // nothing of any weight is left
  finish_levels(*statistic_, pooling_, levels, out);
  scale_powers(pooling_, out);
  if (standardiser_) standardiser_->apply(out);
}

std::vector<double> SetFeature::before_scaling(std::span<const float> pooled,
                                               std::span<const double> gradient) const {
  std::vector<double> out(gradient.begin(), gradient.end());
  if (standardiser_)
    for (size_t t = 0; t < out.size(); ++t) out[t] *= standardiser_->factors()[t];
  const double p = pooling_.power;
  if (pooling_.l2) {  // of z = y / |y|: (g - (g.z) z) / |y|
    std::vector<double> powers(pooled.begin(), pooled.end());
    for (double& y : powers) y = std::copysign(std::pow(std::abs(y), p), y);
    const double norm = std::inner_product(powers.begin(), powers.end(), powers.begin(), 0.0),
                 along = std::inner_product(powers.begin(), powers.end(), out.begin(), 0.0);
    if (norm > 0)
      for (size_t t = 0; t < out.size(); ++t)
        out[t] = (out[t] - along / norm * powers[t]) / std::sqrt(norm);
  }
  if (p == 1) return out;
  double squares = 0;
  for (const double u : pooled) squares += u * u;
  if (squares == 0) return out;
  const double reach = kPowerReach * kPowerReach * squares / static_cast<double>(pooled.size());
  for (size_t t = 0; t < out.size(); ++t) {
    const double u = pooled[t];
    out[t] *= p * std::pow(u * u + reach, (p - 1) / 2);
  }
  return out;
}

std::vector<double> SetFeature::shares(const VectorSet& set,
                                       std::span<const double> gradient) const {
  MUSTER_CHECK(gradient.size() == dim());
  std::vector<double> out(set.size());
  if (set.size() == 0) return out;
  MUSTER_CHECK(set.dim() == input_dim());
  require_places(set);
  const FinestCells cells(set, cells_per_side(pooling_.levels));
  std::vector<LevelSums> levels = all_levels(*statistic_, cells);
  if (levels[0].totals[0] == 0) return out;
  std::vector<float> pooled(dim());
  finish_levels(*statistic_, pooling_, levels, pooled);
  const std::vector<double> of_pooled = before_scaling(pooled, gradient);
  // By the sums of the cells of a level, those of the coarser cells around them included.
  Matrix<double> directions;
  std::vector<double> own(statistic_->sum_dim());
  const double* of_cell = of_pooled.data();
  for (size_t l = 0; l < levels.size(); ++l) {
    const LevelSums& level = levels[l];
    Matrix<double> finer(level.totals.size(), own.size());
    for (size_t c = 0; c < level.totals.size(); ++c, of_cell += statistic_->dim()) {
      if (level.totals[c] == 0) continue;
      statistic_->pull_back(level.sums.row(c), level.count(c), {of_cell, statistic_->dim()}, own);
      const double weight =
          level.whole(c) * cell_weight(pooling_, l, level.totals[c], levels[0].totals[0]);
      const size_t around = c / level.side / 2 * (level.side / 2) + c % level.side / 2;
      for (size_t t = 0; t < own.size(); ++t)
        finer(c, t) = weight * own[t] + (l > 0 ? directions(around, t) : 0);
    }
    directions = std::move(finer);
  }
  std::vector<double> projected;
  for (size_t c = 0; c < directions.rows(); ++c) {
    projected.resize(cells.count(c));
    statistic_->project(cells.vectors(c), directions.row(c), projected);
    for (size_t i = 0; i < projected.size(); ++i)
      out[cells.row(c, i)] = cells.weight(c, i) * projected[i];
  }
  return out;
}

SetFeature SetFeature::standardised(Standardiser standardiser) const {
  MUSTER_CHECK(standardiser.dim() == dim());
  SetFeature out = *this;
  out.standardiser_ = std::move(standardiser);
  return out;
}

void SetFeature::save(const TensorWriter& out) const {
  statistic_->save(out);
  if (standardiser_) standardiser_->save(out.scope("standardise"));
}

}  // namespace muster
