#include "muster/classify/sharded_training.h"

#include <cmath>

#include "muster/cluster/division_meter.h"
#include "muster/cluster/shared_for.h"
#include "muster/cluster/shared_sum.h"
#include "muster/core/parallel.h"
#include "muster/core/timer.h"
#include "muster/simd/vector_ops.h"
#include "muster/solve/primal_newton.h"

namespace muster {
namespace {

// What PreparedVectors is, for vectors on several ranks.
struct Prepared {
  std::vector<double> mean;
  double scale = 1;
  double largest = 0;  // absolute value
};

double largest_value(const ShardedVectors& vectors) {
  std::vector<double> by_row(vectors.rows.rows());
  parallel_for(by_row.size(), 64, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r)
      for (const float value : vectors.rows.row(r))
        by_row[r] = std::max(by_row[r], static_cast<double>(std::abs(value)));
  });
  double out = by_row.empty() ? 0 : std::ranges::max(by_row);
  largest_over_ranks({&out, 1});
  return out;
}

std::vector<double> mean_of(const ShardedVectors& vectors, double largest) {
  const auto n = static_cast<double>(vectors.tiles.num_items());
  const Quantum quantum(2 * largest * n);
  std::vector<int64_t> sums(vectors.rows.cols());
  parallel_for(sums.size(), 256, [&](size_t begin, size_t end) {
    for (const ItemTiles::Tile& tile : vectors.tiles.tiles()) {
      std::vector<double> of_tile(end - begin);
      for (size_t r = tile.begin; r < tile.end; ++r)
        axpy(1, vectors.rows.row(r).subspan(begin, end - begin), of_tile);
      for (size_t c = begin; c < end; ++c) sums[c] += quantum.count(of_tile[c - begin]);
    }
  });
  sum_over_ranks(sums);
  std::vector<double> out;
  for (const int64_t sum : sums) out.push_back(quantum.value(sum) / n);
  return out;
}

void require_finite(const char* stage, const ShardedVectors& vectors) {
  const auto check = [&] {
    for (size_t r = 0; r < vectors.rows.rows(); ++r)
      if (const auto row = vectors.rows.row(r); !std::isfinite(dot(row, row)))
        refuse_not_finite(stage, vectors.tiles.positions()[r]);
  };
  if (divides_here())
    run_own_share(check);
  else
    check();
}

// Centres the vectors, if that is wanted.
Prepared prepare(const ShardedTraining& how, ShardedVectors& vectors) {
  require_finite(how.stage, vectors);
  Prepared out;
  if (how.centre) {
    out.mean = mean_of(vectors, largest_value(vectors));
    parallel_for(vectors.rows.rows(), 64, [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        const auto row = vectors.rows.row(r);
        for (size_t c = 0; c < row.size(); ++c)
          row[c] = static_cast<float>(static_cast<double>(row[c]) - out.mean[c]);
      }
    });
  }
  out.largest = largest_value(vectors);
  const auto& tiles = vectors.tiles.tiles();
  Matrix<double> norms(1, tiles.size());
  parallel_for(tiles.size(), 1, [&](size_t t, size_t) {
    for (size_t r = tiles[t].begin; r < tiles[t].end; ++r)
      norms(0, t) += dot(vectors.rows.row(r), vectors.rows.row(r));
  });
  const size_t n = vectors.tiles.num_items();
  const double sum = totals_over_ranks(norms, n)[0];
  if (sum > 0) out.scale = std::sqrt(static_cast<double>(n) / sum);
  return out;
}

class ShardedTrainer {
 public:
  ShardedTrainer(const ShardedTraining& how, const ShardedVectors& vectors,
                 const Prepared& prepared, const Labels& labels)
      : how_(how),
        tiles_(vectors.tiles),
        items_(vectors, prepared.largest, prepared.scale, how.primal.bias),
        problems_(make_problems(how.stage, labels, how.cv.scheme, tiles_.positions())),
        sides_(sides(problems_)) {
    if (std::ranges::none_of(sides_, &Sides::two)) refuse_one_side(how.stage, labels);
  }

  size_t num_problems() const { return problems_.size(); }

  // Cross-validation's FoldSolver.
  int64_t path(const CvFold& fold, std::span<Matrix<double>> decisions) const {
    std::vector<BinaryProblem> problems = problems_;
    for (const size_t position : fold.held_out)
      if (tiles_.is_here(position))
        for (BinaryProblem& problem : problems) problem.targets[tiles_.row_of(position)] = 0;
    const std::vector<Sides> of_fold = sides(problems);
    const auto newton = make_primal_newton(how_.primal.loss, items_, std::move(problems), of_fold);
    // By held-out item, so that each is sent from where it is.
    Matrix<double> found(fold.held_out.size(), fold.grid.size() * num_problems());
    for (size_t c = 0; c < fold.grid.size(); ++c) {
      newton->solve(costs(of_fold, fold.grid[c]), newton_cv_tolerance(how_.primal.tolerance));
      for (size_t j = 0; j < fold.held_out.size(); ++j)
        if (tiles_.is_here(fold.held_out[j]))
          for (size_t p = 0; p < num_problems(); ++p)
            found(j, c * num_problems() + p) =
                newton->decisions()(p, tiles_.row_of(fold.held_out[j]));
    }
    if (divides_here())
      exchange_rows(found.rows(), [&](size_t j) { return tiles_.owner(fold.held_out[j]); },
                    {rows_of(found)});
    else
      do_divided(
          found.rows(), [] {}, [&] { return bytes_of_rows(found.rows(), {rows_of(found)}); });
    for (size_t p = 0; p < num_problems(); ++p)
      for (size_t c = 0; c < fold.grid.size(); ++c)
        for (size_t j = 0; j < found.rows(); ++j)
          decisions[p](c, j) = of_fold[p].two()           ? found(j, c * num_problems() + p)
                               : of_fold[p].positives > 0 ? 1
                                                          : -1;
    fold.done(num_problems());
    return static_cast<int64_t>(fold.grid.size() * num_problems());
  }

  LinearFit fit(double C, Convergence& convergence) const {
    const auto newton = make_primal_newton(how_.primal.loss, items_, problems_, sides_);
    newton->solve(costs(sides_, C), how_.primal.tolerance);
    convergence = newton->convergence();
    const size_t dim = items_.num_weights() - 1;
    LinearFit out{{Matrix<float>(num_problems(), dim), std::vector<double>(num_problems())},
                  static_cast<int64_t>(num_problems())};
    for (size_t p = 0; p < num_problems(); ++p) {
      for (size_t c = 0; c < dim; ++c)
        out.decisions.weights(p, c) = static_cast<float>(newton->weights()(p, c) * items_.scale());
      out.decisions.offsets[p] = sides_[p].two() ? newton->weights()(p, dim) * items_.bias()
                                                 : one_sided_decision(sides_[p].positives > 0);
    }
    return out;
  }

 private:
  // Of all ranks.
  static std::vector<Sides> sides(const std::vector<BinaryProblem>& problems) {
    std::vector<int64_t> counts;
    for (const Sides& here : sides_of(problems)) {
      counts.push_back(static_cast<int64_t>(here.positives));
      counts.push_back(static_cast<int64_t>(here.negatives));
    }
    sum_over_ranks(counts);
    std::vector<Sides> out;
    for (size_t p = 0; p < problems.size(); ++p)
      out.push_back({static_cast<size_t>(counts[2 * p]), static_cast<size_t>(counts[2 * p + 1])});
    return out;
  }

  std::vector<Costs> costs(const std::vector<Sides>& of, double C) const {
    std::vector<Costs> out;
    for (const Sides& sides : of)
      out.push_back(
          scaled(side_weights(sides.positives, sides.negatives, how_.primal.class_weights), C));
    return out;
  }

  const ShardedTraining& how_;
  const ItemTiles& tiles_;
  ShardedItems items_;
  std::vector<BinaryProblem> problems_;  // of the items here
  std::vector<Sides> sides_;
};

}  // namespace

std::unique_ptr<Classifier> fit_sharded(const ShardedTraining& how, ShardedVectors vectors,
                                        const Labels& labels, const Rng& rng,
                                        const Progress& progress) {
  const Timer timer;
  MUSTER_CHECK(vectors.tiles.num_items() == labels.size());
  Prepared prepared;
  do_divided(kItemGroups, [&] { prepared = prepare(how, vectors); });
  const ShardedTrainer trainer(how, vectors, prepared, labels);
  CvResult chosen = cross_validate(
      how.cv, labels, trainer.num_problems(),
      [&](const CvFold& fold, std::span<Matrix<double>> decisions) {
        return trainer.path(fold, decisions);
      },
      rng, progress, FoldsRun::kInTurn);
  ProgressStep step(progress, "training", 1);
  LinearFit fitted = trainer.fit(chosen.statistics.C, chosen.statistics.convergence.emplace());
  step.tick();
  fold_mean(prepared.mean, fitted.decisions);
  chosen.statistics.iterations += fitted.iterations;
  chosen.statistics.seconds = timer.seconds();
  return make_classifier(how.rule, std::move(fitted.decisions), std::move(chosen));
}

}  // namespace muster
