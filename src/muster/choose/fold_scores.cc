#include "muster/choose/fold_scores.h"

#include "muster/core/timer.h"
#include "muster/pipeline/fit.h"

namespace muster {
namespace {

std::vector<size_t> chosen(std::span<const size_t> items, std::span<const size_t> positions) {
  std::vector<size_t> out;
  out.reserve(positions.size());
  for (const size_t position : positions) out.push_back(items[position]);
  return out;
}

double mean_diagonal(const Matrix<double>& gram) {
  double sum = 0;
  for (size_t i = 0; i < gram.rows(); ++i) sum += gram(i, i);
  return sum / static_cast<double>(gram.rows());
}

// The options of a kernel-svm that does what the recipe's classifier does.
std::unique_ptr<AnyOptions> machine_options(const PlannedStage& classifier, double C) {
  std::unique_ptr<AnyOptions> out = find_stage("kernel-svm").make_options();
  for (const auto& [name, value] : classifier.full_spec().options)
    if (name == "scheme" || name == "class_weights" || name == "tolerance")
      out->set("auto", name, value);
  out->set("auto", "C", number_text(C));
  out->set("auto", "calibrate", "false");
  return out;
}

}  // namespace

FoldJudge::FoldJudge(const SetSource& source, std::span<const size_t> items, const Labels& labels,
                     const FoldItems& fold, Rng rng, const Progress& progress)
    : source_(source),
      progress_(progress),
      train_(chosen(items, fold.train)),
      held_out_(chosen(items, fold.held_out)),
      train_labels_(labels.select(fold.train)),
      rng_(rng) {}

const FoldJudge::Kernels& FoldJudge::kernels_of(const BranchPlan& plan) {
  std::string key;
  for (const StageSpec& spec : plan.full_specs()) key += spec.text() + "/";
  if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
  const Timer timer;
  Kernels out;
  FittedBranch branch =
      fit_branch(plan, source_, train_, train_labels_, rng_.derive("branch"), progress_);
  give_kernel(branch);
  const Represented train = represent_items(branch, source_, train_, progress_);
  const Represented held_out = represent_items(branch, source_, held_out_, progress_);
  const auto kernel = middle_of(branch.kernel->candidates(train));
  out.train = Matrix<double>(train.size(), train.size());
  out.held_out = Matrix<double>(held_out.size(), train.size());
  kernel->gram(train, train, out.train, progress_);
  kernel->gram(held_out, train, out.held_out, progress_);
  if (const double scale = mean_diagonal(out.train); scale > 0) {
    for (double& value : out.train.values()) value /= scale;
    for (double& value : out.held_out.values()) value /= scale;
  }
  out.seconds = timer.seconds();
  return kernels_.emplace(key, std::move(out)).first->second;
}

FoldJudge::Scored FoldJudge::scores(const Plan& plan, std::span<const double> values_of_c) {
  Scored out;
  Matrix<double> train(train_.size(), train_.size()), held_out(held_out_.size(), train_.size());
  for (const BranchPlan& branch : plan.branches) {
    const Kernels& kernels = kernels_of(branch);
    for (size_t i = 0; i < train.size(); ++i) train.data()[i] += kernels.train.data()[i];
    for (size_t i = 0; i < held_out.size(); ++i) held_out.data()[i] += kernels.held_out.data()[i];
    out.seconds += kernels.seconds;
  }
  const Timer timer;
  const auto& machine = std::get<GramClassifierStage>(find_stage("kernel-svm").functions);
  const GramCandidates grams{1, [&](size_t) { return train; }, {}};
  for (const double C : values_of_c)
    out.by_c.push_back(machine
                           .fit(*machine_options(*plan.classifier, C), grams, Psd::kAlways,
                                train_labels_, rng_.derive("classifier"), progress_)
                           .classifier->scores_from_gram(held_out));
  out.seconds += timer.seconds();
  return out;
}

}  // namespace muster
