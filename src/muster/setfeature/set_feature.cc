#include "muster/setfeature/set_feature.h"

#include <cmath>
#include <numeric>

namespace muster {
namespace {

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
  std::vector<size_t> starts;  // one more than there are cells
};

SortedByCell sort_by_cell(const VectorSet& set, size_t side) {
  const size_t m = set.size();
  SortedByCell out{Matrix<float>(m, set.dim()), std::vector<size_t>(side * side + 1)};
  std::vector<size_t> cells(m);
  for (size_t i = 0; i < m; ++i) {
    cells[i] = cell_of(set.places(i, 0), set.places(i, 1), side);
    ++out.starts[cells[i] + 1];
  }
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<size_t> next(out.starts.begin(), out.starts.end() - 1);
  for (size_t i = 0; i < m; ++i)
    std::ranges::copy(set.vectors.row(i), out.vectors.row(next[cells[i]]++).begin());
  return out;
}

// Sums and counts of all cells of one level, row-major over the plane.
struct LevelSums {
  size_t side;
  Matrix<float> sums;
  std::vector<size_t> counts;
};

LevelSums finest_level(const SetStatistic& statistic, const VectorSet& set, size_t side) {
  LevelSums out{side, Matrix<float>(side * side, statistic.sum_dim()),
                std::vector<size_t>(side * side)};
  if (side == 1) {
    statistic.accumulate(set.vectors, out.sums.row(0));
    out.counts[0] = set.size();
    return out;
  }
  const SortedByCell sorted = sort_by_cell(set, side);
  for (size_t c = 0; c < side * side; ++c) {
    out.counts[c] = sorted.starts[c + 1] - sorted.starts[c];
    if (out.counts[c] == 0) continue;
    statistic.accumulate(sorted.vectors.view().slice_rows(sorted.starts[c], out.counts[c]),
                         out.sums.row(c));
  }
  return out;
}

LevelSums merge_four(const LevelSums& fine) {
  const size_t side = fine.side / 2;
  LevelSums out{side, Matrix<float>(side * side, fine.sums.cols()),
                std::vector<size_t>(side * side)};
  for (size_t y = 0; y < fine.side; ++y)
    for (size_t x = 0; x < fine.side; ++x) {
      const size_t from = y * fine.side + x, to = (y / 2) * side + x / 2;
      out.counts[to] += fine.counts[from];
      const auto source = fine.sums.row(from);
      const auto target = out.sums.row(to);
      for (size_t t = 0; t < target.size(); ++t) target[t] += source[t];
    }
  return out;
}

void scale_powers(const PoolingOptions& pooling, std::span<float> out) {
  if (pooling.power != 1) {
    const auto power = static_cast<float>(pooling.power);
    if (power == 0.5f)  // the usual one, and many times as fast
      for (float& value : out) value = std::copysign(std::sqrt(std::abs(value)), value);
    else
      for (float& value : out) value = std::copysign(std::pow(std::abs(value), power), value);
  }
  if (!pooling.l2) return;
  double norm = 0;
  for (float value : out) norm += static_cast<double>(value) * value;
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

void SetFeature::encode(const VectorSet& set, std::span<float> out) const {
  MUSTER_CHECK(out.size() == dim());
  std::ranges::fill(out, 0.0f);
  if (set.size() == 0) return;
  MUSTER_CHECK(set.dim() == input_dim());
  if (pooling_.levels > 0 && !set.has_places())
    throw data_error(
        "spatial pyramid: levels={} needs the place of each vector, and this set has none; "
        "give places or set levels=0",
        pooling_.levels);
  LevelSums level = finest_level(*statistic_, set, cells_per_side(pooling_.levels));
  size_t end = out.size();
  for (int l = pooling_.levels; l >= 0; --l) {
    const size_t cells = level.side * level.side;
    const size_t begin = end - cells * statistic_->dim();
    const MatrixView<float> targets(out.data() + begin, cells, statistic_->dim());
    statistic_->finish_cells(level.sums, level.counts, targets);
    for (size_t c = 0; c < cells; ++c) {
      if (level.counts[c] == 0) continue;
      const double share =
          pooling_.cells == CellWeight::kShare
              ? static_cast<double>(level.counts[c]) / static_cast<double>(set.size())
              : 1.0;
      const auto weight = static_cast<float>(std::sqrt(std::ldexp(share, -l)));
      if (weight != 1)
        for (float& value : targets.row(c)) value *= weight;
    }
    end = begin;
    if (l > 0) level = merge_four(level);
  }
  scale_powers(pooling_, out);
  if (standardiser_) standardiser_->apply(out);
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
