#include "muster/pipeline/fit.h"

#include <cmath>
#include <numeric>
#include <set>

#include "muster/pipeline/branch_weights.h"
#include "muster/pipeline/kernel_fusion.h"
#include "muster/pipeline/sampling.h"
#include "muster/pipeline/sharded_items.h"
#include "muster/pipeline/stopwatch.h"
#include "muster/pipeline/universal_file.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

// Trust in the universal mixture when it is adapted to a class, in vectors per component (UGM 2.2).
// 100 and more told unknown scenes from known ones less well (Scene-15, training pictures).
constexpr double kClassTau = 10;

double mean_squared_norm(const Matrix<float>& vectors) {
  double sum = 0;
  for (float value : vectors.values()) sum += static_cast<double>(value) * value;
  return sum / static_cast<double>(std::max<size_t>(vectors.rows(), 1));
}

// Reductions, and the set feature or set kernel.
FittedBranch learn_branch(const BranchPlan& plan, BranchSamples& samples, const Labels& labels,
                          const Rng& rng, const Progress& progress) {
  size_t width = samples.width();
  FittedBranch branch;
  branch.extraction = plan.extraction;
  branch.input_dim = width;
  for (size_t s = 0; s < plan.reducers.size(); ++s) {
    const PlannedStage& stage = plan.reducers[s];
    const Sample sample = samples.take(s, branch, width, labels);
    branch.reducers.push_back(stage.as<ReducerStage>().fit(
        *stage.options, sample, stage_stream(plan, s, rng).derive("fit")));
    width = branch.reducers.back()->output_dim();
  }
  const PlannedStage& last = plan.set_feature ? *plan.set_feature : *plan.set_kernel;
  const Rng stream = stage_stream(plan, plan.reducers.size(), rng).derive("fit");
  const Sample sample = samples.take(plan.reducers.size(), branch, width, labels);
  if (sample.vectors.rows() == 0)
    throw data_error("none of the {} training items has a single vector to learn from",
                     samples.num_items());
  if (plan.set_kernel)
    branch.kernel = last.as<SetKernelStage>().fit(*last.options, sample, stream, progress);
  else
    branch.feature = std::make_shared<SetFeature>(
        last.as<SetFeatureStage>().fit(*last.options, sample, stream, progress));
  return branch;
}

// A branch from a universal mixture, without what depends on training items. Their width must fit.
FittedBranch branch_of(const UniversalFile& file, const BranchPlan& plan, size_t width) {
  FittedBranch branch = file.make_branch(plan);
  if (branch.input_dim != width)
    throw data_error(
        "{}: its mixture was learned from vectors of {} components, and the items have {}",
        file.path.string(), branch.input_dim, width);
  return branch;
}

// Settles the scaling on the items' vectors; gives these as the scaled feature makes them.
Matrix<float> fit_scaling(const BranchPlan& plan, const SetSource& source,
                          std::span<const size_t> items, const Progress& progress,
                          const AlsoPerItem& also, FittedBranch& branch) {
  std::vector<uint8_t> is_empty(items.size());
  AlsoPerItem both{[&](size_t i, const VectorSet& set) {
                     is_empty[i] = set.size() == 0;
                     if (also.call) also.call(i, set);
                   },
                   also.rows};
  both.rows.push_back(rows_of(is_empty));
  Matrix<float> vectors = encode_items(branch, source, items, progress, both);
  const Standardiser standardiser = plan.vector_scaling->as<VectorScalingStage>().fit(vectors);
  for (size_t i = 0; i < items.size(); ++i)
    if (!is_empty[i]) standardiser.apply(vectors.row(i));
  branch.feature = std::make_shared<SetFeature>(branch.feature->standardised(standardiser));
  return vectors;
}

// What comes after the set feature or set kernel.
void add_kernels(const BranchPlan& plan, FittedBranch& branch) {
  if (plan.feature_kernel) {
    branch.kernel = plan.feature_kernel->as<FeatureKernelStage>().make(
        *plan.feature_kernel->options, branch.feature);
    branch.feature = nullptr;
  }
  for (const PlannedStage& stage : plan.transforms)
    branch.kernel = stage.as<KernelTransformStage>().make(*stage.options, branch.kernel);
}

class Fitting {
 public:
  Fitting(const Plan& plan, const SetSource& source, std::span<const size_t> items, Labels labels,
          uint64_t seed, const Progress& progress, const FitOptions& options)
      : plan_(plan),
        source_(source),
        items_(items.begin(), items.end()),
        labels_(std::move(labels)),
        rng_(seed),
        progress_(progress),
        options_(options) {}

  const Labels& labels() const { return labels_; }
  std::vector<std::string> item_names() const {
    std::vector<std::string> out;
    for (const size_t item : items_) out.push_back(source_.name(item));
    return out;
  }
  std::shared_ptr<const ClassMixtures> class_mixtures() const { return class_mixtures_; }

  // All that is learned before the items are encoded.
  std::vector<FittedBranch> learn() {
    std::vector<BranchSamples> samples = draw();
    const Stopwatch watch(options_.seconds, "fit");
    std::vector<FittedBranch> branches;
    for (size_t b = 0; b < plan_.branches.size(); ++b) {
      const BranchPlan& plan = plan_.branches[b];
      branches.push_back(options_.universal
                             ? branch_of(*options_.universal, plan, samples[b].width())
                             : learn_branch(plan, samples[b], labels_, stream(b), progress_));
    }
    return branches;
  }

  // `vectors` become those that the classifier was fitted on, unless they stay on their ranks.
  std::shared_ptr<const Classifier> fit_on_vectors(std::vector<FittedBranch>& branches,
                                                   Matrix<float>& vectors) {
    const auto& stage = plan_.classifier->as<VectorClassifierStage>();
    if (trains_sharded(stage, branches)) return fit_sharded(stage, branches);
    {
      const Stopwatch watch(options_.seconds, "encode");
      vectors = encode_to_scale(branches);
    }
    const Stopwatch watch(options_.seconds, "classifier");
    return stage.fit(*plan_.classifier->options, vectors, labels_, rng_.derive("classifier"),
                     progress_);
  }

  // `kept`, unless null, becomes the kernel matrix that the classifier was fitted on.
  std::shared_ptr<const Classifier> fit_on_grams(std::vector<FittedBranch>& branches,
                                                 Matrix<double>* kept) {
    {
      const Stopwatch watch(options_.seconds, "encode");
      for (size_t b = 0; b < branches.size(); ++b) represent(branches[b], b);
    }
    const Stopwatch watch(options_.seconds, "classifier");
    KernelFusion fusion(plan_, branches, labels_, progress_);
    std::vector<Matrix<double>> grams(fusion.num_candidates());
    GramCandidates candidates{fusion.num_candidates(), {}, {}};
    candidates.gram = [&](size_t candidate) {
      Matrix<double> gram = fusion.gram(candidate);
      if (kept) grams[candidate] = gram;
      return gram;
    };
    if (fusion.chooses_among_learned())
      candidates.gram_of_fold = [&](size_t candidate, std::span<const size_t> held_out) {
        return fusion.gram_without(candidate, held_out);
      };
    GramChoice choice = plan_.classifier->as<GramClassifierStage>().fit(
        *plan_.classifier->options, candidates, plan_.psd(), labels_, rng_.derive("classifier"),
        progress_);
    fusion.settle(choice.candidate);
    if (kept) *kept = std::move(grams[choice.candidate]);
    return std::move(choice.classifier);
  }

 private:
  // Many vectors do, if nothing but the classifier asks for all of them.
  bool trains_sharded(const VectorClassifierStage& stage,
                      std::span<const FittedBranch> branches) const {
    return stage.trains_sharded && !options_.keep_training && !options_.class_mixtures &&
           !plan_.weighs_vectors() &&
           std::ranges::none_of(
               plan_.branches,
               [](const BranchPlan& plan) { return plan.vector_scaling.has_value(); }) &&
           stage.trains_sharded(*plan_.classifier->options,
                                std::max(items_.size(), options_.as_if_items),
                                joined_dim(branches));
  }
  std::shared_ptr<const Classifier> fit_sharded(const VectorClassifierStage& stage,
                                                std::vector<FittedBranch>& branches) {
    const auto encode = [&] {
      const Stopwatch watch(options_.seconds, "encode");
      return encode_sharded(branches, source_, items_, progress_);
    };
    ShardedVectors vectors = encode();
    const Stopwatch watch(options_.seconds, "classifier");
    return stage.fit_sharded(*plan_.classifier->options, std::move(vectors), labels_,
                             rng_.derive("classifier"), progress_);
  }

  Rng stream(size_t branch) const { return rng_.derive("branch").derive(branch); }

  // The first pass over the items. What one branch cannot read is left out of all.
  std::vector<BranchSamples> draw() {
    // Unless it was seen to before, this is the pass that extracts.
    const Stopwatch watch(options_.seconds, options_.left_out ? "features" : "fit");
    std::vector<BranchSamples> samples;
    std::vector<ItemFailure> failures;
    std::set<size_t> bad;
    for (size_t b = 0; b < plan_.branches.size(); ++b) {
      samples.emplace_back(plan_.branches[b], !options_.universal, source_, items_, stream(b),
                           progress_);
      for (const ItemFailure& failure : samples.back().failures())
        if (bad.insert(failure.item).second) failures.push_back(failure);
    }
    if (failures.empty()) return samples;
    if (!options_.left_out) throw Error(ErrorKind::kData, failures.front().reason);
    if (bad.size() == items_.size()) refuse_unreadable(source_, items_.size(), failures);
    options_.left_out(failures);
    leave_out(bad, samples);
    return samples;
  }

  void leave_out(const std::set<size_t>& bad, std::vector<BranchSamples>& samples) {
    std::vector<size_t> kept_items, kept;
    for (size_t i = 0; i < items_.size(); ++i)
      if (!bad.contains(items_[i])) {
        kept.push_back(i);
        kept_items.push_back(items_[i]);
      }
    labels_ = labels_.select(kept);
    items_ = std::move(kept_items);
    for (BranchSamples& of_branch : samples) of_branch.keep(kept);
  }

  // What else the pass that encodes is to do with each reduced set: the sums of class mixtures.
  AlsoPerItem start_class_mixtures(const FittedBranch& branch) {
    if (!options_.class_mixtures) return {};
    mixture_sums_.emplace(universal_of(branch).mixture);
    class_sums_ = Matrix<float>(items_.size(), mixture_sums_->dim());
    return {[this](size_t i, const VectorSet& set) {
              mixture_sums_->of_set(set.vectors, class_sums_.row(i));
            },
            {rows_of(class_sums_)}};
  }
  void finish_class_mixtures() {
    if (!mixture_sums_) return;
    class_mixtures_ = std::make_shared<ClassMixtures>(ClassMixtures::fit(
        *std::exchange(mixture_sums_, std::nullopt), class_sums_, labels_, kClassTau));
  }

  // Settles the scales if there are several branches.
  Matrix<float> encode_to_scale(std::vector<FittedBranch>& branches) {
    std::vector<Matrix<float>> parts;
    for (size_t b = 0; b < branches.size(); ++b) {
      const AlsoPerItem also = start_class_mixtures(branches[b]);
      parts.push_back(
          plan_.branches[b].vector_scaling
              ? fit_scaling(plan_.branches[b], source_, items_, progress_, also, branches[b])
              : encode_items(branches[b], source_, items_, progress_, also));
      finish_class_mixtures();
      const double norm = mean_squared_norm(parts.back());
      if (branches.size() > 1 && norm > 0) branches[b].scale = 1 / std::sqrt(norm);
    }
    if (branches.size() > 1 && plan_.weighs_vectors()) {
      const std::vector<double> scales = held_out_scales(parts, labels_, progress_);
      for (size_t b = 0; b < branches.size(); ++b) branches[b].scale = scales[b];
    }
    return join_parts(std::move(parts), branches);
  }

  // The branch's training sets, by the kernel that it gets here.
  void represent(FittedBranch& branch, size_t b) {
    const AlsoPerItem also = start_class_mixtures(branch);
    Matrix<float> vectors;
    if (plan_.branches[b].vector_scaling)
      vectors = fit_scaling(plan_.branches[b], source_, items_, progress_, also, branch);
    add_kernels(plan_.branches[b], branch);
    give_kernel(branch);
    if (vectors.empty()) {
      branch.training = represent_items(branch, source_, items_, progress_, also);
    } else {
      for (size_t i = 0; i < vectors.rows(); ++i)
        naming_item(source_, items_[i], [&] {
          branch.training.push_back(branch.kernel->represent_vector(vectors.row(i)));
        });
    }
    finish_class_mixtures();
  }

  const Plan& plan_;
  const SetSource& source_;
  std::vector<size_t> items_;
  Labels labels_;
  Rng rng_;
  const Progress& progress_;
  const FitOptions& options_;
  std::optional<MixtureSums> mixture_sums_;
  Matrix<float> class_sums_;
  std::shared_ptr<const ClassMixtures> class_mixtures_;
};

}  // namespace

FittedBranch fit_branch(const BranchPlan& plan, const SetSource& source,
                        std::span<const size_t> items, const Labels& labels, Rng rng,
                        const Progress& progress, Matrix<float>* vectors) {
  MUSTER_CHECK(plan.complete());
  BranchSamples samples(plan, true, source, items, rng, progress);
  if (!samples.failures().empty())
    throw data_error(
        "{}{}", samples.failures()[0].reason,
        samples.failures().size() == 1
            ? ""
            : fmt::format(" (and {} more items cannot be read)", samples.failures().size() - 1));
  FittedBranch branch = learn_branch(plan, samples, labels, rng, progress);
  Matrix<float> scaled;
  if (plan.vector_scaling) scaled = fit_scaling(plan, source, items, progress, {}, branch);
  if (vectors) *vectors = std::move(scaled);
  add_kernels(plan, branch);
  return branch;
}

Pipeline fit_pipeline(const Plan& plan, const SetSource& source, std::span<const size_t> items,
                      const Labels& labels, uint64_t seed, const Progress& progress,
                      const FitOptions& options) {
  if (!plan.classifier)
    throw usage_error("recipe: it has no classifier; end it with one, such as linear-svm");
  if (options.universal && plan.branches.size() != 1)
    throw usage_error("recipe: it has {} branches, and a universal mixture is for a recipe of one",
                      plan.branches.size());
  if (options.class_mixtures) require_universal_stage(plan, "class mixtures");
  MUSTER_CHECK(items.size() == labels.size());
  Fitting fitting(plan, source, items, labels, seed, progress, options);
  std::vector<FittedBranch> branches = fitting.learn();
  auto training = std::make_shared<KeptTraining>();
  std::shared_ptr<const Classifier> classifier =
      plan.on_vectors()
          ? fitting.fit_on_vectors(branches, training->vectors)
          : fitting.fit_on_grams(branches, options.keep_training ? &training->gram : nullptr);
  if (options.held_out)
    if (auto judged = classifier->judged_by(*options.held_out)) classifier = std::move(judged);
  if (plan.on_vectors() && !options.keep_training) {
    training = nullptr;
  } else {
    training->labels = fitting.labels();
    training->names = fitting.item_names();
  }
  return Pipeline(plan, std::move(branches), std::move(classifier), fitting.labels().class_names,
                  !fitting.labels().single_label(), seed, std::move(training),
                  fitting.class_mixtures());
}

}  // namespace muster
