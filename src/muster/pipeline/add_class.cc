#include "muster/pipeline/add_class.h"

#include "muster/crossval/cross_validation.h"
#include "muster/pipeline/stopwatch.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

// Old labels, then the new ones in a common numbering.
Labels joined_labels(const Labels& old_labels, const Labels& new_labels) {
  Labels out = old_labels;
  std::vector<int> number;
  for (const std::string& name : new_labels.class_names) {
    const auto found = std::ranges::find(out.class_names, name);
    number.push_back(static_cast<int>(found - out.class_names.begin()));
    if (found == out.class_names.end()) out.class_names.push_back(name);
  }
  if (out.class_names.size() == old_labels.class_names.size())
    throw data_error("add-class: the model knows all classes of the data already: {}",
                     fmt::join(new_labels.class_names, ", "));
  if (old_labels.single_label() && !new_labels.single_label())
    throw data_error(
        "add-class: the model has one label per item, the data several; give each item one");
  const auto append = [&](const std::vector<std::vector<int>>& lists,
                          std::vector<std::vector<int>>& to) {
    for (std::vector<int> list : lists) {
      for (int& label : list) label = number[static_cast<size_t>(label)];
      std::ranges::sort(list);
      to.push_back(std::move(list));
    }
  };
  append(new_labels.of_item, out.of_item);
  if (old_labels.difficult.empty() && new_labels.difficult.empty()) return out;
  out.difficult.resize(old_labels.size());
  append(new_labels.difficult, out.difficult);
  out.difficult.resize(out.of_item.size());
  return out;
}

// The classifier's stage with the C (or whatever it chooses) that was chosen for the pipeline.
PlannedStage with_chosen_value(const Pipeline& pipeline) {
  PlannedStage stage = *pipeline.plan().classifier;
  const FitStatistics* statistics = pipeline.classifier().statistics();
  if (!statistics) return stage;
  std::shared_ptr<AnyOptions> options = stage.options->clone();
  if (options->fields().find(statistics->parameter))
    options->set(stage.entry->name, statistics->parameter, number_text(statistics->C));
  stage.options = std::move(options);
  return stage;
}

// Of all training sets; `known` holds the values between the first of them, and may be empty.
Matrix<double> grown_gram(std::span<const FittedBranch> branches, const Matrix<double>& known,
                          const Progress& progress) {
  const size_t n = branches[0].training.size(), old = known.rows();
  check_gram_memory(n, n, 2);
  Matrix<double> sum(n, n), gram(n - old, n);
  for (size_t i = 0; i < old; ++i) std::ranges::copy(known.row(i), sum.row(i).begin());
  for (const FittedBranch& branch : branches) {
    const RepresentedSpan all = branch.training;
    branch.kernel->gram(all.subspan(old), all, gram, progress);
    for (size_t i = old; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) sum(i, j) += branch.scale * gram(i - old, j);
  }
  for (size_t i = old; i < n; ++i)
    for (size_t j = 0; j < i; ++j) sum(j, i) = sum(i, j);
  return sum;
}

}  // namespace

Pipeline add_classes(const Pipeline& pipeline, const SetSource& source,
                     std::span<const size_t> items, const Labels& labels, const Progress& progress,
                     StageSeconds* seconds) {
  const KeptTraining* kept = pipeline.training();
  if (!kept)
    throw usage_error(
        "add-class: the model kept none of its training vectors; train it with --keep-training, or "
        "with a kernel machine (kernel-svm, klr), which keeps them always");
  auto training = std::make_shared<KeptTraining>();
  training->labels = joined_labels(kept->labels, labels);
  training->names = kept->names;
  if (kept->names.size() == kept->labels.size())
    for (const size_t item : items) training->names.push_back(source.name(item));
  Plan plan = pipeline.plan();
  plan.classifier = with_chosen_value(pipeline);
  std::vector<FittedBranch> branches = pipeline.branches();
  const Rng rng = Rng(pipeline.seed()).derive("add-class");

  std::shared_ptr<const Classifier> classifier;
  if (plan.on_vectors()) {
    {
      const Stopwatch watch(seconds, "encode");
      const Matrix<float> added = encode_items(branches, source, items, progress);
      MUSTER_CHECK(added.cols() == kept->vectors.cols());
      training->vectors = Matrix<float>(kept->vectors.rows() + added.rows(), added.cols());
      std::ranges::copy(kept->vectors.values(), training->vectors.data());
      std::ranges::copy(added.values(), training->vectors.data() + kept->vectors.size());
    }
    const Stopwatch watch(seconds, "classifier");
    classifier = plan.classifier->as<VectorClassifierStage>().fit(
        *plan.classifier->options, training->vectors, training->labels, rng, progress);
  } else {
    {
      const Stopwatch watch(seconds, "encode");
      for (size_t b = 0; b < branches.size(); ++b)
        for (auto& added : represent_items(branches[b], source, items, progress))
          branches[b].training.push_back(std::move(added));
    }
    const Stopwatch watch(seconds, "classifier");
    Matrix<double> gram = grown_gram(branches, kept->gram, progress);
    if (!kept->gram.empty()) training->gram = gram;
    GramCandidates candidates;
    candidates.gram = [&](size_t) { return std::move(gram); };
    classifier =
        plan.classifier->as<GramClassifierStage>()
            .fit(*plan.classifier->options, candidates, plan.psd(), training->labels, rng, progress)
            .classifier;
  }
  std::vector<std::string> class_names = training->labels.class_names;
  return Pipeline(std::move(plan), std::move(branches), std::move(classifier),
                  std::move(class_names), pipeline.multi_label(), pipeline.seed(),
                  std::move(training));
}

}  // namespace muster
