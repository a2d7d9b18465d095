#include "muster/pipeline/sharded_items.h"

#include <cmath>

#include "muster/cluster/shared_sum.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

// The part of one branch in a joined vector, from `first` on.
std::span<float> part_of(std::span<float> joined, size_t first, const FittedBranch& branch) {
  return joined.subspan(first, branch.feature->dim());
}

void scale_part(std::span<float> part, const FittedBranch& branch) {
  if (branch.scale == 1) return;
  for (float& value : part) value *= static_cast<float>(branch.scale);
}

// 1 / root mean squared norm of the branch's parts.
double scale_of_parts(const FittedBranch& branch, size_t first, ShardedVectors& vectors) {
  const auto& tiles = vectors.tiles.tiles();
  Matrix<double> norms(1, tiles.size());
  parallel_for(tiles.size(), 1, [&](size_t t, size_t) {
    for (size_t r = tiles[t].begin; r < tiles[t].end; ++r)
      for (const float value : part_of(vectors.rows.row(r), first, branch))
        norms(0, t) += static_cast<double>(value) * value;
  });
  const size_t n = vectors.tiles.num_items();
  const double sum = totals_over_ranks(norms, n)[0];
  return sum > 0 ? std::sqrt(static_cast<double>(n) / sum) : 1;
}

}  // namespace

size_t joined_dim(std::span<const FittedBranch> branches) {
  size_t dim = 0;
  for (const FittedBranch& branch : branches) dim += branch.feature->dim();
  return dim;
}

ShardedVectors encode_sharded(std::span<FittedBranch> branches, const SetSource& source,
                              std::span<const size_t> items, const Progress& progress) {
  ShardedVectors out(items, joined_dim(branches));
  size_t first = 0;
  for (FittedBranch& branch : branches) {
    over_items(branch, source, items, progress,
               [&](size_t i, const VectorSet& set) {
                 branch.feature->encode(set,
                                        part_of(out.rows.row(out.tiles.row_of(i)), first, branch));
               },
               {});
    if (branches.size() > 1) {
      branch.scale = scale_of_parts(branch, first, out);
      for (size_t r = 0; r < out.rows.rows(); ++r)
        scale_part(part_of(out.rows.row(r), first, branch), branch);
    }
    first += branch.feature->dim();
  }
  return out;
}

Matrix<double> score_in_tiles(std::span<const FittedBranch> branches, const Classifier& classifier,
                              const SetSource& source, std::span<const size_t> items,
                              const Progress& progress, const AlsoPerItem& also) {
  const ItemTiles places(items);
  const auto& tiles = places.tiles();
  Matrix<double> out(items.size(), static_cast<size_t>(classifier.num_classes()));
  ProgressStep step(progress, "encoding", units_with_sending(places.num_here()));
  const auto encode = [&](size_t i, std::span<float> joined) {
    size_t first = 0;
    for (const FittedBranch& branch : branches) {
      const std::span<float> part = part_of(joined, first, branch);
      VectorSet set = source.load(branch.extraction.get(), items[i]);
      naming_item(source, items[i], [&] {
        set = branch.reduce(std::move(set));
        branch.feature->encode(set, part);
        if (also.call) also.call(i, set);
      });
      scale_part(part, branch);
      first += part.size();
    }
  };
  const auto score_here = [&] {
    parallel_for(tiles.size(), 1, [&](size_t t, size_t) {
      Matrix<float> vectors(tiles[t].rows(), joined_dim(branches));
      for (size_t r = 0; r < vectors.rows(); ++r) {
        encode(places.positions()[tiles[t].begin + r], vectors.row(r));
        step.tick();
      }
      const Matrix<double> scores = classifier.scores(vectors);
      for (size_t r = 0; r < vectors.rows(); ++r)
        std::ranges::copy(scores.row(r), out.row(places.positions()[tiles[t].begin + r]).begin());
    });
  };
  if (!divides_here()) {
    score_here();
    return out;
  }
  run_own_share(score_here);
  std::vector<SharedRows> rows = also.rows;
  rows.push_back(rows_of(out));
  exchange_rows(
      items.size(), [&](size_t i) { return places.owner(i); }, rows);
  step.tick();
  return out;
}

}  // namespace muster
