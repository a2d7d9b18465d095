#include "muster/classify/linear_training.h"

#include <algorithm>
#include <cmath>

#include "muster/cluster/sharded_vectors.h"
#include "muster/cluster/shared_for.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr size_t kTile = 192;  // so that a Gram of 1,500 has enough tiles to share out evenly
// Up to here the Gram is cheap whatever the dimension; beyond the second one it does not fit.
constexpr size_t kSmallGram = 6000;
constexpr size_t kLargestGram = 20000;
double squared_norm(std::span<const float> values) { return dot(values, values); }

void require_finite(const char* stage, const std::vector<double>& norms) {
  for (size_t i = 0; i < norms.size(); ++i)
    if (!std::isfinite(norms[i])) refuse_not_finite(stage, i);
}

// The root of 1 / mean squared norm.
double norm_scale(const std::vector<double>& norms) {
  double sum = 0;
  for (const double norm : norms) sum += norm;
  return sum > 0 ? std::sqrt(static_cast<double>(norms.size()) / sum) : 1;
}

std::vector<double> mean_of_rows(ConstMatrixView vectors) {
  constexpr size_t kColumns = 1024;
  std::vector<double> mean(vectors.cols);
  parallel_for(vectors.cols, kColumns, [&](size_t begin, size_t end) {
    const std::span<double> part = std::span(mean).subspan(begin, end - begin);
    for (size_t i = 0; i < vectors.rows; ++i)
      axpy(1, vectors.row(i).subspan(begin, end - begin), part);
    for (double& value : part) value /= static_cast<double>(vectors.rows);
  });
  return mean;
}

}  // namespace

void refuse_not_finite(const char* stage, size_t item) {
  throw data_error(
      "{}: the vector of training item {} has a value that is not a finite number; "
      "look for NaN or infinite values in its source and leave the item out",
      stage, item);
}

bool use_gram(LinearSolver solver, size_t n, size_t dim) {
  if (solver != LinearSolver::kAuto) return solver == LinearSolver::kGram;
  return n <= kSmallGram || (n < dim && n <= kLargestGram);
}

bool trains_sharded(LinearSolver solver, size_t n, size_t dim) {
  return !use_gram(solver, n, dim) && stays_sharded(n, dim);
}

void require_finite_rows(const char* stage, ConstMatrixView vectors) {
  std::vector<double> norms(vectors.rows);
  parallel_for(vectors.rows, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) norms[i] = squared_norm(vectors.row(i));
  });
  require_finite(stage, norms);
}

PreparedVectors::PreparedVectors(const char* stage, ConstMatrixView vectors, bool centre)
    : vectors_(vectors) {
  if (centre) {
    mean_ = mean_of_rows(vectors);
    centred_ = Matrix<float>(vectors.rows, vectors.cols);
  }
  std::vector<double> norms(vectors.rows);
  parallel_for(vectors.rows, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (centre) {
        const auto from = vectors.row(i);
        const auto to = centred_.row(i);
        for (size_t c = 0; c < to.size(); ++c)
          to[c] = static_cast<float>(static_cast<double>(from[c]) - mean_[c]);
      }
      norms[i] = squared_norm(view().row(i));
    }
  });
  // One value that is not finite makes the mean, and so all rows, not finite: the vectors
  // themselves say which it was.
  if (!std::ranges::all_of(norms, [](double norm) { return std::isfinite(norm); })) {
    for (size_t i = 0; i < vectors.rows; ++i) norms[i] = squared_norm(vectors.row(i));
    require_finite(stage, norms);
  }
  scale_ = norm_scale(norms);
}

// In tiles of the upper triangle.
Matrix<float> scaled_gram(ConstMatrixView vectors, double scale, double bias,
                          const Progress& progress) {
  const size_t n = vectors.rows, tiles = (n + kTile - 1) / kTile;
  Matrix<float> gram(n, n);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < tiles; ++a)
    for (size_t b = a; b < tiles; ++b) pairs.emplace_back(a * kTile, b * kTile);
  ProgressStep step(progress, "Gram matrix", units_with_sending(pairs.size()));
  const auto factor = static_cast<float>(scale * scale), constant = static_cast<float>(bias * bias);
  const auto tile = [&](size_t t) {
    const auto [row, col] = pairs[t];
    return MatrixView<float>(&gram(row, col), std::min(kTile, n - row), std::min(kTile, n - col),
                             n);
  };
  shared_for(pairs.size(), 1, {[&](size_t t) { return shared_bytes(tile(t)); }},
             [&](size_t t, size_t) {
               const MatrixView<float> out = tile(t);
               gemm_nt(vectors.slice_rows(pairs[t].first, out.rows),
                       vectors.slice_rows(pairs[t].second, out.cols), out, factor);
               for (size_t i = 0; i < out.rows; ++i)
                 for (float& value : out.row(i)) value += constant;
               step.tick();
             });
  if (divides_here()) step.tick();
  // Within a diagonal tile as well: the product need not be symmetric.
  parallel_for(pairs.size(), 1, [&](size_t t, size_t) {
    const auto [row, col] = pairs[t];
    const MatrixView<float> upper = tile(t);
    for (size_t i = 0; i < upper.rows; ++i)
      for (size_t j = row == col ? i + 1 : 0; j < upper.cols; ++j)
        gram(col + j, row + i) = upper(i, j);
  });
  return gram;
}

void fold_mean(const std::vector<double>& mean, LinearDecisions& decisions) {
  for (size_t p = 0; p < decisions.offsets.size(); ++p)
    for (size_t c = 0; c < mean.size(); ++c)
      decisions.offsets[p] -= decisions.weights(p, c) * mean[c];
}

PrimalTrainer::PrimalTrainer(const PrimalOptions& options, const PreparedVectors& vectors)
    : options_(options), vectors_(vectors.view()), scale_(vectors.scale()) {
  if (options.loss == PrimalLoss::kSquaredHinge) items_.emplace(vectors_, scale_, options_.bias);
}

const LiblinearRows& PrimalTrainer::rows() const {
  std::call_once(made_, [&] {
    rows_ = std::make_unique<const LiblinearRows>(vectors_, scale_, options_.bias);
  });
  return *rows_;
}

double PrimalTrainer::decision(size_t item, std::span<const double> weights) const {
  const size_t dim = vectors_.cols;
  return scale_ * dot(vectors_.row(item), weights.first(dim)) + options_.bias * weights[dim];
}

int64_t PrimalTrainer::path(const CvTask& task, MatrixView<double> decisions) const {
  std::vector<double> weights(vectors_.cols + 1);
  std::unique_ptr<PrimalNewton> newton;
  if (items_)
    newton = make_primal_newton(PrimalLoss::kSquaredHinge, *items_, {task.problem},
                                sides_of({task.problem}));
  for (size_t c = 0; c < task.grid.size(); ++c) {
    const Costs costs = scaled(task.weights, task.grid[c]);
    if (newton) {
      newton->solve({costs}, newton_cv_tolerance(options_.tolerance));
      weights.assign(newton->weights().row(0).begin(), newton->weights().row(0).end());
    }
    if (!newton || !newton->solved()[0])
      rows().solve(options_.loss, task.problem, costs, cv_tolerance(options_.tolerance), weights);
    for (size_t j = 0; j < task.held_out.size(); ++j)
      decisions(c, j) = decision(task.held_out[j], weights);
  }
  return static_cast<int64_t>(task.grid.size());
}

LinearFit PrimalTrainer::fit(const std::vector<BinaryProblem>& problems, double C, const Rng&,
                             const Progress& progress) const {
  const size_t count = problems.size(), dim = vectors_.cols;
  LinearFit out{{Matrix<float>(count, dim), std::vector<double>(count)},
                static_cast<int64_t>(count)};
  ProgressStep step(progress, "training", units_with_sending(count));
  const std::vector<Costs> costs = problem_costs(problems, options_.class_weights, C);
  std::unique_ptr<PrimalNewton> together;
  if (items_ && std::ranges::all_of(problems, &BinaryProblem::whole)) {
    together = make_primal_newton(PrimalLoss::kSquaredHinge, *items_, problems, sides_of(problems));
    together->solve(costs, options_.tolerance);
  }
  shared_for(count, 1, {rows_of(out.decisions.weights), rows_of(out.decisions.offsets)},
             [&](size_t begin, size_t end) {
               for (size_t p = begin; p < end; ++p) {
                 if (problems[p].two_sided()) {
                   std::vector<double> weights(dim + 1);
                   if (together) std::ranges::copy(together->weights().row(p), weights.begin());
                   if (!together || !together->solved()[p])
                     rows().solve(options_.loss, problems[p], costs[p], options_.tolerance,
                                  weights);
                   for (size_t c = 0; c < dim; ++c)
                     out.decisions.weights(p, c) = static_cast<float>(weights[c] * scale_);
                   out.decisions.offsets[p] = weights[dim] * options_.bias;
                 } else {
                   out.decisions.offsets[p] = one_sided_decision(problems[p]);
                 }
                 step.tick();
               }
             });
  if (divides_here()) step.tick();
  return out;
}

}  // namespace muster
