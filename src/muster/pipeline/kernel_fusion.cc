#include "muster/pipeline/kernel_fusion.h"

#include <numeric>

#include "muster/core/parallel.h"
#include "muster/pipeline/branch_weights.h"
#include "muster/solve/libsvm_gram.h"

namespace muster {
namespace {

constexpr size_t kDiagonalTile = 32;

// Of every part, weights included; of the kernel itself if it has none.
std::vector<double> mean_diagonals(const SetKernel& kernel, const Represented& sets) {
  const std::vector<double> weights = kernel.part_weights();
  std::vector<double> out(kernel.num_parts());
  for (size_t begin = 0; begin < sets.size(); begin += kDiagonalTile) {
    const RepresentedSpan some =
        RepresentedSpan(sets).subspan(begin, std::min(kDiagonalTile, sets.size() - begin));
    Matrix<double> values(out.size(), some.size() * some.size());
    if (out.size() > 1)
      kernel.part_grams(some, some, values);
    else
      kernel.gram(some, some, MatrixView<double>(values.data(), some.size(), some.size()), {});
    for (size_t p = 0; p < out.size(); ++p)
      for (size_t i = 0; i < some.size(); ++i)
        out[p] += weights[p] * values(p, i * some.size() + i) / static_cast<double>(sets.size());
  }
  return out;
}

double mean_diagonal(const SetKernel& kernel, const Represented& sets) {
  const std::vector<double> parts = mean_diagonals(kernel, sets);
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

// The numbers below n that are not left out.
std::vector<size_t> all_but(const std::vector<size_t>& left_out, size_t n) {
  std::vector<bool> out_of(n);
  for (size_t i : left_out) out_of[i] = true;
  std::vector<size_t> kept;
  for (size_t i = 0; i < n; ++i)
    if (!out_of[i]) kept.push_back(i);
  return kept;
}

Represented chosen(const Represented& sets, std::span<const size_t> items) {
  Represented out;
  for (size_t i : items) out.push_back(sets[i]);
  return out;
}

double one_over(double value) { return value > 0 ? 1 / value : 1; }

// mkl's support vector machine: C-SVC, one problem per class.
MarginSolver margin_solver(const Labels& labels, double cost) {
  return [&labels, cost](MatrixView<const double> gram) {
    constexpr double kTolerance = 1e-3;
    const std::vector<BinaryProblem> problems =
        make_problems("weights=mkl", labels, Scheme::kOneVsAll);
    const LibsvmGram svm(gram, 1);
    Matrix<double> duals(problems.size(), gram.rows);
    parallel_for(problems.size(), 1, [&](size_t p, size_t) {
      if (problems[p].two_sided())
        std::ranges::copy(svm.train(problems[p], {cost, cost}, kTolerance).coefficients,
                          duals.row(p).begin());
    });
    return duals;
  };
}

}  // namespace

std::vector<BranchShare> kernel_shares(std::span<const FittedBranch> branches) {
  std::vector<BranchShare> out;
  double total = 0;
  for (const FittedBranch& branch : branches) {
    std::vector<double> parts = mean_diagonals(*branch.kernel, branch.training);
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (double& part : parts) part = sum > 0 ? part / sum : 1 / static_cast<double>(parts.size());
    out.push_back({branch.scale * sum, std::move(parts)});
    total += out.back().share;
  }
  for (BranchShare& branch : out)
    branch.share = total > 0 ? branch.share / total : 1 / static_cast<double>(out.size());
  return out;
}

KernelFusion::KernelFusion(const Plan& plan, std::vector<FittedBranch>& branches,
                           const Labels& labels, const Progress& progress)
    : branches_(branches),
      labels_(labels),
      progress_(progress),
      grams_(branches.size()),
      together_(plan.weight_learning()),
      learned_(together_.has_value()) {
  std::vector<std::vector<std::shared_ptr<const SetKernel>>> widths;
  for (const FittedBranch& branch : branches) {
    widths.push_back(branch.kernel->candidates(branch.training));
    base_.push_back(middle_of(widths.back()));
    learned_ = learned_ || base_.back()->weights_to_learn();
  }
  const size_t n = labels.size();
  if (branches.size() == 1 && !learned_) {
    shares_work_ = widths[0].size() > 1 && widths[0][1]->from_values_of(*widths[0][0], {});
    check_gram_memory(n, n, widths[0].size() + (shares_work_ ? 2 : 1));
    for (const auto& kernel : widths[0]) candidates_.push_back({{kernel}, {1}});
    return;
  }
  check_gram_memory(n, n, branches.size() + 2);
  for (size_t b = 0; b < branches.size(); ++b) {
    const bool in_parts = base_[b]->num_parts() > 1 && (together_ || base_[b]->weights_to_learn());
    if (!in_parts) grams_[b] = whole_gram(*base_[b], b, progress);
  }
  candidates_ = weighed(all_but({}, n), progress);
}

Matrix<double> KernelFusion::whole_gram(const SetKernel& kernel, size_t branch,
                                        const Progress& progress) const {
  const Represented& sets = branches_[branch].training;
  Matrix<double> gram(sets.size(), sets.size());
  kernel.gram(sets, sets, gram, progress);
  return gram;
}

KernelTiles KernelFusion::tiles(const std::vector<size_t>& which,
                                const std::vector<size_t>& items) const {
  KernelTiles out{items.size(), 0, {}};
  for (size_t b : which) out.num_kernels += grams_[b].empty() ? base_[b]->num_parts() : 1;
  out.fill = [this, which, items](const Tile& tile, MatrixView<double> values) {
    const auto some = std::span(items);
    const auto rows = some.subspan(tile.row, tile.num_rows),
               cols = some.subspan(tile.col, tile.num_cols);
    size_t next = 0;
    for (size_t b : which) {
      const size_t parts = grams_[b].empty() ? base_[b]->num_parts() : 1;
      const MatrixView<double> own = values.slice_rows(next, parts);
      next += parts;
      if (grams_[b].empty()) {
        base_[b]->part_grams(chosen(branches_[b].training, rows),
                             chosen(branches_[b].training, cols), own);
        continue;
      }
      double* value = own.row(0).data();
      for (size_t i : rows)
        for (size_t j : cols) *value++ = grams_[b](i, j);
    }
  };
  return out;
}

std::vector<double> KernelFusion::given_weights(const std::vector<size_t>& which) const {
  std::vector<double> out;
  for (size_t b : which) {
    if (!grams_[b].empty()) {
      out.push_back(one_over(mean_diagonal(grams_[b])));
      continue;
    }
    const double scale = one_over(mean_diagonal(*base_[b], branches_[b].training));
    for (double weight : base_[b]->part_weights()) out.push_back(scale * weight);
  }
  return out;
}

std::vector<LearnedWeights> KernelFusion::learn(const WeightLearning& how,
                                                const std::vector<size_t>& which,
                                                const std::vector<size_t>& items,
                                                const Progress& progress) const {
  const std::vector<size_t> seen =
      how.rule == WeightRule::kHeldOut ? held_out_sample(items) : items;
  const Labels labels = labels_.select(seen);
  return learn_weights(how, tiles(which, seen), labels, given_weights(which),
                       margin_solver(labels, how.options.mkl_cost), progress);
}

void KernelFusion::take_weights(size_t branch, std::span<const double> weights, size_t& next,
                                Candidate& candidate) const {
  const auto& kernel = base_[branch];
  if (!grams_[branch].empty()) {
    candidate.kernels.push_back(kernel);
    candidate.scales.push_back(weights[next++]);
    return;
  }
  const auto own = weights.subspan(next, kernel->num_parts());
  next += own.size();
  candidate.kernels.push_back(kernel->with_weights({own.begin(), own.end()}));
  candidate.scales.push_back(1);
}

std::vector<KernelFusion::Candidate> KernelFusion::weighed_together(
    const WeightLearning& how, const std::vector<size_t>& items, const Progress& progress) const {
  const std::vector<size_t> all = all_but({}, branches_.size());
  std::vector<Candidate> out;
  for (const LearnedWeights& learned : learn(how, all, items, progress)) {
    Candidate& candidate = out.emplace_back();
    size_t next = 0;
    for (size_t b : all) take_weights(b, learned.weights, next, candidate);
  }
  return out;
}

std::vector<KernelFusion::Candidate> KernelFusion::weighed_each(const std::vector<size_t>& items,
                                                                const Progress& progress) const {
  std::vector<Candidate> out;
  if (branches_.size() == 1) {
    for (const LearnedWeights& learned :
         learn(*base_[0]->weights_to_learn(), {0}, items, progress)) {
      size_t next = 0;
      take_weights(0, learned.weights, next, out.emplace_back());
    }
    return out;
  }
  Candidate& candidate = out.emplace_back();
  const auto share = static_cast<double>(branches_.size());
  for (size_t b = 0; b < branches_.size(); ++b) {
    if (!grams_[b].empty()) {
      candidate.kernels.push_back(base_[b]);
      candidate.scales.push_back(one_over(mean_diagonal(grams_[b])) / share);
      continue;
    }
    size_t next = 0;
    take_weights(b, middle_of(learn(*base_[b]->weights_to_learn(), {b}, items, progress)).weights,
                 next, candidate);
    candidate.scales.back() =
        one_over(mean_diagonal(*candidate.kernels.back(), branches_[b].training)) / share;
  }
  return out;
}

std::vector<KernelFusion::Candidate> KernelFusion::weighed(const std::vector<size_t>& items,
                                                           const Progress& progress) const {
  return together_ ? weighed_together(*together_, items, progress) : weighed_each(items, progress);
}

Matrix<double> KernelFusion::gram(size_t candidate) const {
  if (!shares_work_) return gram_of(candidates_[candidate], progress_);
  if (first_.empty()) first_ = gram_of(candidates_[0], progress_);
  Matrix<double> out = first_;
  if (candidate > 0)
    candidates_[candidate].kernels[0]->from_values_of(*candidates_[0].kernels[0], out);
  return out;
}

Matrix<double> KernelFusion::gram_without(size_t candidate,
                                          std::span<const size_t> left_out) const {
  const std::vector<size_t> key(left_out.begin(), left_out.end());
  std::optional<Candidate> learned;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = without_.find(key); found != without_.end())
      learned = found->second[candidate];
  }
  if (!learned) {  // the lock is not held meanwhile: the work may wait for threads that want it
    std::vector<Candidate> all = weighed(all_but(key, labels_.size()), {});
    learned = all[candidate];
    const std::scoped_lock lock(mutex_);
    without_.emplace(key, std::move(all));
  }
  return gram_of(*learned, {});
}

Matrix<double> KernelFusion::gram_of(const Candidate& candidate, const Progress& progress) const {
  if (branches_.size() == 1 && candidate.scales[0] == 1)
    return whole_gram(*candidate.kernels[0], 0, progress);
  Matrix<double> sum(labels_.size(), labels_.size());
  for (size_t b = 0; b < branches_.size(); ++b) {
    Matrix<double> made;
    if (grams_[b].empty()) made = whole_gram(*candidate.kernels[b], b, progress);
    const Matrix<double>& gram = grams_[b].empty() ? made : grams_[b];
    for (size_t i = 0; i < sum.size(); ++i) sum.data()[i] += candidate.scales[b] * gram.data()[i];
  }
  return sum;
}

void KernelFusion::settle(size_t index) {
  for (size_t b = 0; b < branches_.size(); ++b) {
    branches_[b].kernel = candidates_[index].kernels[b];
    branches_[b].scale = candidates_[index].scales[b];
  }
}

}  // namespace muster
