#include <atomic>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/pipeline/kernel_fusion.h"
#include "muster/pipeline/stopwatch.h"
#include "muster/pipeline/universal_file.h"
#include "muster/setkernel/feature_kernel.h"

namespace muster {
namespace {

VectorSet choose_vectors(const VectorSet& set, std::span<const size_t> rows) {
  VectorSet out;
  out.vectors = select_rows(set.vectors.view(), rows);
  if (set.has_places()) out.places = select_rows(set.places.view(), rows);
  out.image_width = set.image_width;
  out.image_height = set.image_height;
  return out;
}

// The width that all sets share; sets of another width are a data error. An extractor's sets need
// no look.
size_t common_width(const BranchPlan& plan, const ItemSource& source,
                    std::span<const size_t> items) {
  if (plan.extractor && !items.empty() && source.dataset().kind == ItemKind::kImages)
    return source.load(plan.extractor, items[0]).dim();
  std::atomic<size_t> width{0};
  parallel_for(items.size(), 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t dim = source.load(plan.extractor, items[i]).dim();
      size_t expected = 0;
      if (dim == 0 || width.compare_exchange_strong(expected, dim) || expected == dim) continue;
      throw data_error(
          "{}: its vectors have {} components, those of other items {}; all sets must agree",
          source.dataset().items[items[i]].name, dim, expected);
    }
  });
  if (width == 0)
    throw data_error("none of the {} training items has a single vector to learn from",
                     items.size());
  return width;
}

// About `count` vectors, evenly over the items and drawn per item, after the reductions fitted so
// far.
Sample draw_sample(const FittedBranch& branch, const BranchPlan& plan, const ItemSource& source,
                   std::span<const size_t> items, const Labels& labels, size_t count, size_t width,
                   const Rng& rng) {
  const size_t per_item = (count + items.size() - 1) / std::max<size_t>(items.size(), 1);
  std::vector<Matrix<float>> parts(items.size());
  parallel_for(items.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const VectorSet set = source.load(plan.extractor, items[i]);
      Rng stream = rng.derive(i);
      parts[i] = branch.reduce(choose_vectors(set, stream.sample(set.size(), per_item))).vectors;
    }
  });
  size_t total = 0;
  for (const Matrix<float>& part : parts) total += part.rows();
  Sample sample{Matrix<float>(total, width), {}, labels.num_classes()};
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t r = 0; r < parts[i].rows(); ++r) {
      std::ranges::copy(parts[i].row(r), sample.vectors.row(next++).begin());
      sample.labels.push_back(labels.size() > 0 ? labels.first(i) : -1);
    }
  return sample;
}

double mean_squared_norm(const Matrix<float>& vectors) {
  double sum = 0;
  for (float value : vectors.values()) sum += static_cast<double>(value) * value;
  return sum / static_cast<double>(std::max<size_t>(vectors.rows(), 1));
}

// Side by side, each times its branch's scale.
Matrix<float> join_parts(std::vector<Matrix<float>> parts, std::span<const FittedBranch> branches) {
  if (parts.size() == 1 && branches[0].scale == 1) return std::move(parts[0]);
  size_t dim = 0;
  for (const Matrix<float>& part : parts) dim += part.cols();
  Matrix<float> all(parts[0].rows(), dim);
  for (size_t i = 0; i < all.rows(); ++i) {
    float* out = all.row(i).data();
    for (size_t b = 0; b < parts.size(); ++b)
      for (float value : parts[b].row(i)) *out++ = static_cast<float>(branches[b].scale) * value;
  }
  return all;
}

// A branch that stops at a set feature takes part in a kernel machine by its dot product.
void give_kernel(FittedBranch& branch) {
  if (branch.kernel) return;
  branch.kernel = make_feature_kernel(FeatureKernelKind::kLinear, std::nullopt, branch.feature);
  branch.feature = nullptr;
}

// Trust in the universal mixture where it is adapted to a class, in vectors a component (UGM 2.2).
// 100 and more told unknown scenes from known ones less well (Scene-15, training pictures).
constexpr double kClassTau = 10;

// Stages know sets, not files: an error that `body` throws gets the item's name.
template <class Body>
void naming_item(const ItemSource& source, size_t item, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{}: {}", source.dataset().items[item].name, error.what()));
  }
}

class Fitting {
 public:
  Fitting(const Plan& plan, const ItemSource& source, std::span<const size_t> items,
          const Labels& labels, uint64_t seed, const Progress& progress, StageSeconds* seconds,
          const UniversalFile* universal)
      : plan_(plan),
        source_(source),
        items_(items),
        labels_(labels),
        rng_(seed),
        progress_(progress),
        seconds_(seconds),
        universal_(universal) {}

  std::vector<FittedBranch> fit_branches() {
    const Stopwatch watch(seconds_, "fit");
    std::vector<FittedBranch> branches;
    for (size_t b = 0; b < plan_.branches.size(); ++b)
      branches.push_back(fit_branch(plan_.branches[b], source_, items_, labels_,
                                    rng_.derive("branch").derive(b), progress_, universal_,
                                    &encoded_.emplace_back()));
    return branches;
  }

  // `vectors` become those that the classifier was fitted on.
  std::shared_ptr<const Classifier> fit_on_vectors(std::vector<FittedBranch>& branches,
                                                   Matrix<float>& vectors) {
    {
      const Stopwatch watch(seconds_, "encode");
      vectors = encode_to_scale(branches);
    }
    const Stopwatch watch(seconds_, "classifier");
    return plan_.classifier->as<VectorClassifierStage>().fit(
        *plan_.classifier->options, vectors, labels_, rng_.derive("classifier"), progress_);
  }

  // `kept`, unless null, becomes the kernel matrix that the classifier was fitted on.
  std::shared_ptr<const Classifier> fit_on_grams(std::vector<FittedBranch>& branches,
                                                 Matrix<double>* kept) {
    {
      const Stopwatch watch(seconds_, "encode");
      for (size_t b = 0; b < branches.size(); ++b) {
        give_kernel(branches[b]);
        branches[b].training = represent_training(branches[b], b);
      }
    }
    const Stopwatch watch(seconds_, "classifier");
    KernelFusion fusion(plan_, branches, labels_, progress_);
    std::vector<Matrix<double>> grams(fusion.num_candidates());
    GramCandidates candidates{fusion.num_candidates(), {}, {}};
    candidates.gram = [&](size_t candidate) {
      Matrix<double> gram = fusion.gram(candidate);
      if (kept) grams[candidate] = gram;
      return gram;
    };
    if (fusion.chooses_among_learnt())
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

  std::shared_ptr<const ClassMixtures> fit_class_mixtures(const FittedBranch& branch) {
    const Stopwatch watch(seconds_, "encode");
    MixtureSums universal(universal_of(branch).mixture);
    Matrix<float> sums(items_.size(), universal.dim());
    over_items(branch, plan_.branches[0], source_, items_, progress_,
               [&](size_t i, const VectorSet& set) { universal.of_set(set.vectors, sums.row(i)); });
    return std::make_shared<ClassMixtures>(
        ClassMixtures::fit(std::move(universal), sums, labels_, kClassTau));
  }

 private:
  // Settles the scales where there are several branches.
  Matrix<float> encode_to_scale(std::vector<FittedBranch>& branches) {
    std::vector<Matrix<float>> parts;
    for (size_t b = 0; b < branches.size(); ++b) {
      parts.push_back(encoded_[b].empty()
                          ? encode_items(branches[b], plan_.branches[b], source_, items_, progress_)
                          : std::move(encoded_[b]));
      const double norm = mean_squared_norm(parts.back());
      if (branches.size() > 1 && norm > 0) branches[b].scale = 1 / std::sqrt(norm);
    }
    return join_parts(std::move(parts), branches);
  }

  Represented represent_training(const FittedBranch& branch, size_t b) {
    if (encoded_[b].empty())
      return represent_items(branch, plan_.branches[b], source_, items_, progress_);
    const Matrix<float> vectors = std::move(encoded_[b]);
    Represented out(vectors.rows());
    for (size_t i = 0; i < out.size(); ++i)
      naming_item(source_, items_[i],
                  [&] { out[i] = branch.kernel->represent_vector(vectors.row(i)); });
    return out;
  }

  const Plan& plan_;
  const ItemSource& source_;
  std::span<const size_t> items_;
  const Labels& labels_;
  Rng rng_;
  const Progress& progress_;
  StageSeconds* seconds_;
  const UniversalFile* universal_;
  // The items' vectors of the branches that had to make them to be fitted, until they are used.
  std::vector<Matrix<float>> encoded_;
};

// Reductions, and the set feature or set kernel.
FittedBranch learn_branch(const BranchPlan& plan, const ItemSource& source,
                          std::span<const size_t> items, const Labels& labels, size_t width,
                          const Rng& rng, const Progress& progress) {
  FittedBranch branch;
  branch.input_dim = width;
  const auto sample_for = [&](const PlannedStage& stage, const Rng& stream) {
    return draw_sample(branch, plan, source, items, labels, stage.num_samples(), width, stream);
  };
  for (size_t s = 0; s < plan.reducers.size(); ++s) {
    const PlannedStage& stage = plan.reducers[s];
    const ReducerStage& functions = stage.as<ReducerStage>();
    const Rng stream = rng.derive("reducer").derive(s);
    Sample sample{Matrix<float>(0, width), {}, labels.num_classes()};
    if (functions.needs_sample) sample = sample_for(stage, stream.derive("sample"));
    branch.reducers.push_back(functions.fit(*stage.options, sample, stream.derive("fit")));
    width = branch.reducers.back()->output_dim();
  }
  const PlannedStage& last = plan.set_feature ? *plan.set_feature : *plan.set_kernel;
  const Rng stream = rng.derive("representation");
  const Sample sample = sample_for(last, stream.derive("sample"));
  if (sample.vectors.rows() == 0)
    throw data_error("none of the {} training items has a single vector to learn from",
                     items.size());
  if (plan.set_kernel)
    branch.kernel =
        last.as<SetKernelStage>().fit(*last.options, sample, stream.derive("fit"), progress);
  else
    branch.feature = std::make_shared<SetFeature>(
        last.as<SetFeatureStage>().fit(*last.options, sample, stream.derive("fit"), progress));
  return branch;
}

// A branch from a universal mixture, without what depends on training items. Their width must fit.
FittedBranch branch_of(const UniversalFile& file, const BranchPlan& plan, size_t width) {
  FittedBranch branch = file.make_branch(plan);
  if (branch.input_dim != width)
    throw data_error(
        "{}: its mixture was learnt from vectors of {} components, and the items have {}",
        file.path.string(), branch.input_dim, width);
  return branch;
}

// Settles the scaling on the items' vectors; gives these as the scaled feature makes them.
Matrix<float> fit_scaling(const BranchPlan& plan, const ItemSource& source,
                          std::span<const size_t> items, const Progress& progress,
                          FittedBranch& branch) {
  Matrix<float> vectors(items.size(), branch.feature->dim());
  std::vector<uint8_t> is_empty(items.size());
  over_items(branch, plan, source, items, progress, [&](size_t i, const VectorSet& set) {
    branch.feature->encode(set, vectors.row(i));
    is_empty[i] = set.size() == 0;
  });
  const Standardiser standardiser = plan.vector_scaling->as<VectorScalingStage>().fit(vectors);
  for (size_t i = 0; i < items.size(); ++i)
    if (!is_empty[i]) standardiser.apply(vectors.row(i));
  branch.feature = std::make_shared<SetFeature>(branch.feature->standardised(standardiser));
  return vectors;
}

}  // namespace

VectorSet FittedBranch::reduce(VectorSet set) const {
  if (set.size() > 0 && set.dim() != input_dim)
    throw data_error("vectors of {} components were given, the model was trained on vectors of {}",
                     set.dim(), input_dim);
  for (const auto& reducer : reducers) set = reducer->apply(std::move(set));
  return set;
}

FittedBranch fit_branch(const BranchPlan& plan, const ItemSource& source,
                        std::span<const size_t> items, const Labels& labels, Rng rng,
                        const Progress& progress, const UniversalFile* universal,
                        Matrix<float>* training_vectors) {
  MUSTER_CHECK(plan.complete());
  const size_t width = common_width(plan, source, items);
  FittedBranch branch = universal ? branch_of(*universal, plan, width)
                                  : learn_branch(plan, source, items, labels, width, rng, progress);
  Matrix<float> vectors;
  if (plan.vector_scaling) vectors = fit_scaling(plan, source, items, progress, branch);
  if (training_vectors) *training_vectors = std::move(vectors);
  if (plan.feature_kernel) {
    branch.kernel = plan.feature_kernel->as<FeatureKernelStage>().make(
        *plan.feature_kernel->options, branch.feature);
    branch.feature = nullptr;
  }
  for (const PlannedStage& stage : plan.transforms)
    branch.kernel = stage.as<KernelTransformStage>().make(*stage.options, branch.kernel);
  return branch;
}

void over_items(const FittedBranch& branch, const BranchPlan& plan, const ItemSource& source,
                std::span<const size_t> items, const Progress& progress,
                const std::function<void(size_t i, const VectorSet& set)>& encode) {
  ProgressStep step(progress, "encoding", items.size());
  parallel_for(items.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      VectorSet set = source.load(plan.extractor, items[i]);
      naming_item(source, items[i], [&] { encode(i, branch.reduce(std::move(set))); });
      step.tick();
    }
  });
}

Matrix<float> encode_items(const FittedBranch& branch, const BranchPlan& plan,
                           const ItemSource& source, std::span<const size_t> items,
                           const Progress& progress) {
  Matrix<float> out(items.size(), branch.feature->dim());
  over_items(branch, plan, source, items, progress,
             [&](size_t i, const VectorSet& set) { branch.feature->encode(set, out.row(i)); });
  return out;
}

Matrix<float> encode_items(std::span<const FittedBranch> branches, const Plan& plan,
                           const ItemSource& source, std::span<const size_t> items,
                           const Progress& progress) {
  std::vector<Matrix<float>> parts;
  for (size_t b = 0; b < branches.size(); ++b)
    parts.push_back(encode_items(branches[b], plan.branches[b], source, items, progress));
  return join_parts(std::move(parts), branches);
}

Represented represent_items(const FittedBranch& branch, const BranchPlan& plan,
                            const ItemSource& source, std::span<const size_t> items,
                            const Progress& progress) {
  Represented out(items.size());
  over_items(branch, plan, source, items, progress,
             [&](size_t i, const VectorSet& set) { out[i] = branch.kernel->represent(set); });
  return out;
}

Pipeline fit_pipeline(const Plan& plan, const ItemSource& source, std::span<const size_t> items,
                      const Labels& labels, uint64_t seed, const Progress& progress,
                      const FitExtras& extras) {
  if (!plan.classifier)
    throw usage_error("recipe: it has no classifier; end it with one, such as linear-svm");
  if (extras.universal && plan.branches.size() != 1)
    throw usage_error("recipe: it has {} branches, and a universal mixture is for a recipe of one",
                      plan.branches.size());
  if (extras.class_mixtures) require_universal_stage(plan, "class mixtures");
  MUSTER_CHECK(items.size() == labels.size());
  Fitting fitting(plan, source, items, labels, seed, progress, extras.seconds, extras.universal);
  std::vector<FittedBranch> branches = fitting.fit_branches();
  auto training = std::make_shared<KeptTraining>();
  training->labels = labels;
  std::shared_ptr<const Classifier> classifier =
      plan.on_vectors()
          ? fitting.fit_on_vectors(branches, training->vectors)
          : fitting.fit_on_grams(branches, extras.keep_training ? &training->gram : nullptr);
  if (plan.on_vectors() && !extras.keep_training) training = nullptr;
  std::shared_ptr<const ClassMixtures> class_mixtures;
  if (extras.class_mixtures) class_mixtures = fitting.fit_class_mixtures(branches[0]);
  return Pipeline(plan, std::move(branches), std::move(classifier), labels.class_names,
                  !labels.single_label(), seed, std::move(training), std::move(class_mixtures));
}

}  // namespace muster
