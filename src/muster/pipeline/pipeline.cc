#include "muster/pipeline/pipeline.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "muster/pipeline/universal_file.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

constexpr const char* kFormatVersion = "1";

// One set's vectors of all branches, brought to one scale.
void join_vectors(std::span<const FittedBranch> branches, const std::vector<VectorSet>& sets,
                  std::span<float> out) {
  size_t begin = 0;
  for (size_t b = 0; b < branches.size(); ++b) {
    const std::span<float> part = out.subspan(begin, branches[b].feature->dim());
    branches[b].feature->encode(branches[b].reduce(sets[b]), part);
    if (branches[b].scale != 1)
      for (float& value : part) value *= static_cast<float>(branches[b].scale);
    begin += part.size();
  }
}

size_t total_dim(std::span<const FittedBranch> branches) {
  size_t dim = 0;
  for (const FittedBranch& branch : branches) dim += branch.feature->dim();
  return dim;
}

// Kernel values between some sets (one list a branch) and the training sets.
Matrix<double> joined_gram(std::span<const FittedBranch> branches,
                           std::span<const Represented> sets, const Progress& progress) {
  Matrix<double> sum(sets[0].size(), branches[0].training.size());
  for (size_t b = 0; b < branches.size(); ++b) {
    Matrix<double> gram(sum.rows(), sum.cols());
    branches[b].kernel->gram(sets[b], branches[b].training, gram, progress);
    for (size_t i = 0; i < sum.size(); ++i) sum.data()[i] += branches[b].scale * gram.data()[i];
  }
  return sum;
}

void save_branch(const FittedBranch& branch, const TensorWriter& out) {
  for (size_t s = 0; s < branch.reducers.size(); ++s)
    branch.reducers[s]->save(out.scope("reducer").scope(std::to_string(s)));
  TensorWriter(out).put("scale", branch.scale);
  if (branch.feature) {
    branch.feature->save(out.scope("feature"));
    return;
  }
  branch.kernel->save(out.scope("kernel"));
  branch.kernel->save_represented(branch.training, out.scope("training"));
}

std::shared_ptr<const SetFeature> load_feature(const BranchPlan& plan, size_t width,
                                               const TensorReader& in) {
  SetFeature feature = plan.set_feature->as<SetFeatureStage>().load(*plan.set_feature->options, in);
  in.require(feature.input_dim() == width, "a set feature of another dimension");
  if (!plan.vector_scaling) return std::make_shared<SetFeature>(std::move(feature));
  Standardiser standardiser =
      plan.vector_scaling->as<VectorScalingStage>().load(in.scope("standardise"));
  in.require(standardiser.dim() == feature.dim(), "a vector scaling of another dimension");
  return std::make_shared<SetFeature>(feature.standardised(std::move(standardiser)));
}

// The width of the vectors a branch begins with, where a stage that keeps no arrays needs to know
// it.
FittedBranch load_branch(const BranchPlan& plan, bool on_vectors, size_t input_dim,
                         const TensorReader& in) {
  FittedBranch branch;
  size_t width = input_dim;
  for (size_t s = 0; s < plan.reducers.size(); ++s) {
    branch.reducers.push_back(plan.reducers[s].as<ReducerStage>().load(
        *plan.reducers[s].options, width, in.scope("reducer").scope(std::to_string(s))));
    in.require(branch.reducers.back()->input_dim() == width, "a reduction of another dimension");
    width = branch.reducers.back()->output_dim();
  }
  branch.scale = in.number("scale");
  if (on_vectors) {
    branch.feature = load_feature(plan, width, in.scope("feature"));
    return branch;
  }
  TensorReader kernel = in.scope("kernel");
  std::vector<TensorReader> of_transform;  // each holds what it transforms
  for (size_t t = 0; t < plan.transforms.size(); ++t) {
    of_transform.insert(of_transform.begin(), kernel);
    kernel = kernel.scope("base");
  }
  if (plan.set_kernel) {
    branch.kernel = plan.set_kernel->as<SetKernelStage>().load(*plan.set_kernel->options, kernel);
  } else {
    auto feature = load_feature(plan, width, kernel.scope("feature"));
    const StageEntry& entry =
        plan.feature_kernel ? *plan.feature_kernel->entry : find_stage("linear");
    branch.kernel = std::get<FeatureKernelStage>(entry.functions).load(std::move(feature), kernel);
  }
  for (size_t t = 0; t < plan.transforms.size(); ++t)
    branch.kernel = plan.transforms[t].as<KernelTransformStage>().load(
        *plan.transforms[t].options, branch.kernel, of_transform[t]);
  branch.training = branch.kernel->load_represented(in.scope("training"));
  return branch;
}

// Lists of lists, as their ends and their values.
void save_lists(const std::vector<std::vector<int>>& lists, TensorWriter out) {
  std::vector<uint64_t> ends;
  std::vector<int32_t> values;
  for (const std::vector<int>& list : lists) {
    values.insert(values.end(), list.begin(), list.end());
    ends.push_back(values.size());
  }
  out.put("ends", ends);
  out.put("values", values);
}

std::vector<std::vector<int>> load_lists(const TensorReader& in, size_t num_classes) {
  const auto ends = in.values<uint64_t>("ends");
  const auto values = in.values<int32_t>("values");
  in.require(std::ranges::is_sorted(ends) && (ends.empty() ? 0 : ends.back()) == values.size(),
             "labels end elsewhere");
  for (const int32_t value : values)
    in.require(value >= 0 && static_cast<size_t>(value) < num_classes, "a label is no class");
  std::vector<std::vector<int>> out;
  size_t begin = 0;
  for (const uint64_t end : ends) {
    out.emplace_back(values.begin() + static_cast<long>(begin),
                     values.begin() + static_cast<long>(end));
    in.require(std::ranges::is_sorted(out.back()), "the labels of an item are not in order");
    begin = end;
  }
  return out;
}

void save_training(const KeptTraining& training, TensorWriter out) {
  save_lists(training.labels.of_item, out.scope("labels"));
  if (!training.labels.difficult.empty())
    save_lists(training.labels.difficult, out.scope("difficult"));
  if (!training.vectors.empty()) out.put("vectors", training.vectors);
  if (!training.gram.empty()) out.put("gram", training.gram);
}

std::shared_ptr<const KeptTraining> load_training(const TensorReader& in,
                                                  std::vector<std::string> class_names,
                                                  bool multi_label) {
  if (!in.has("labels.ends")) return nullptr;
  auto out = std::make_shared<KeptTraining>();
  const size_t num_classes = class_names.size();
  out->labels = {
      std::move(class_names), load_lists(in.scope("labels"), num_classes), {}, multi_label};
  in.require(multi_label || out->labels.single_label(), "an item without exactly one label");
  if (in.has("difficult.ends")) {
    out->labels.difficult = load_lists(in.scope("difficult"), num_classes);
    in.require(out->labels.difficult.size() == out->labels.size(),
               "difficult labels of other items");
  }
  if (in.has("vectors")) {
    out->vectors = in.matrix<float>("vectors");
    in.require(out->vectors.rows() == out->labels.size(), "training vectors of other items");
  }
  if (in.has("gram")) {
    out->gram = in.matrix<double>("gram");
    in.require(out->gram.rows() == out->labels.size() && out->gram.cols() == out->labels.size(),
               "a kernel matrix of other items");
  }
  return out;
}

uint64_t parse_seed(const std::string& text, const std::string& path) {
  uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code != std::errc() || end != text.data() + text.size())
    throw data_error("{}: its seed '{}' is no number; the file is damaged", path, text);
  return seed;
}

// The universal mixture is the branch's.
std::shared_ptr<const ClassMixtures> load_class_mixtures(const TensorReader& in, const Plan& plan,
                                                         std::span<const FittedBranch> branches) {
  if (!in.has("shifts")) return nullptr;
  try {
    require_universal_stage(plan, "class mixtures");
  } catch (const Error& error) {
    in.require(false, error.what());
  }
  return std::make_shared<ClassMixtures>(
      ClassMixtures::load(MixtureSums(universal_of(branches[0]).mixture), in));
}

// A recipe that this muster does not understand is the file's fault, not the user's.
Plan stored_plan(const std::string& recipe, const std::string& path) {
  try {
    return plan_recipe(parse_recipe(recipe));
  } catch (const Error& error) {
    throw data_error("{}: its recipe cannot be used: {}", path, error.what());
  }
}

}  // namespace

Pipeline::Pipeline(Plan plan, std::vector<FittedBranch> branches,
                   std::shared_ptr<const Classifier> classifier,
                   std::vector<std::string> class_names, bool multi_label, uint64_t seed,
                   std::shared_ptr<const KeptTraining> training,
                   std::shared_ptr<const ClassMixtures> class_mixtures)
    : plan_(std::move(plan)),
      branches_(std::move(branches)),
      classifier_(std::move(classifier)),
      class_names_(std::move(class_names)),
      multi_label_(multi_label),
      seed_(seed),
      training_(std::move(training)),
      class_mixtures_(std::move(class_mixtures)) {}

Matrix<double> Pipeline::scores(const ItemSource& source, std::span<const size_t> items,
                                const Progress& progress) const {
  if (!plan_.on_vectors()) {
    std::vector<Represented> sets;
    for (size_t b = 0; b < branches_.size(); ++b)
      sets.push_back(represent_items(branches_[b], plan_.branches[b], source, items, progress));
    return classifier_->scores_from_gram(joined_gram(branches_, sets, progress));
  }
  return classifier_->scores(encode_items(branches_, plan_, source, items, progress));
}

Matrix<double> Pipeline::scores(const std::vector<VectorSet>& set_of_branch) const {
  MUSTER_CHECK(set_of_branch.size() == branches_.size());
  if (plan_.on_vectors()) {
    Matrix<float> vectors(1, total_dim(branches_));
    join_vectors(branches_, set_of_branch, vectors.row(0));
    return classifier_->scores(vectors);
  }
  std::vector<Represented> sets;
  for (size_t b = 0; b < branches_.size(); ++b)
    sets.push_back({branches_[b].kernel->represent(branches_[b].reduce(set_of_branch[b]))});
  return classifier_->scores_from_gram(joined_gram(branches_, sets, {}));
}

std::vector<double> Pipeline::likelihood_ratios(const ItemSource& source,
                                                std::span<const size_t> items,
                                                const Progress& progress) const {
  MUSTER_CHECK(class_mixtures_);
  std::vector<double> out(items.size());
  over_items(branches_[0], plan_.branches[0], source, items, progress,
             [&](size_t i, const VectorSet& set) { out[i] = class_mixtures_->score(set.vectors); });
  return out;
}

double Pipeline::likelihood_ratio(const std::vector<VectorSet>& set_of_branch) const {
  MUSTER_CHECK(class_mixtures_ && set_of_branch.size() == branches_.size());
  return class_mixtures_->score(branches_[0].reduce(set_of_branch[0]).vectors);
}

void Pipeline::save(const std::filesystem::path& path) const {
  TensorMap map;
  save(TensorWriter(map));
  write_safetensors(path, map);
}

void Pipeline::save(const TensorWriter& out) const {
  TensorWriter top = out;
  top.put_text("format_version", kFormatVersion);
  top.put_text("kind", "muster model");
  top.put_text("recipe", plan_.recipe().text());
  top.put_text("seed", std::to_string(seed_));
  top.put_text("class_names", nlohmann::json(class_names_).dump());
  top.put_text("multi_label", multi_label_ ? "true" : "false");
  for (size_t b = 0; b < branches_.size(); ++b) {
    const TensorWriter scope = out.scope("branch").scope(std::to_string(b));
    const FittedBranch& branch = branches_[b];
    TensorWriter(scope).put("input_dim", static_cast<double>(branch.input_dim));
    save_branch(branch, scope);
  }
  classifier_->save(out.scope("classifier"));
  if (training_) save_training(*training_, out.scope("training"));
  if (class_mixtures_) class_mixtures_->save(out.scope("class_mixtures"));
}

Pipeline Pipeline::load(const std::filesystem::path& path) {
  const TensorMap map = read_safetensors(path);
  const auto kind = map.metadata.find("kind");
  if (kind == map.metadata.end() || kind->second != "muster model")
    throw data_error("{}: it is no muster model; make one with muster train", path.string());
  return load(TensorReader(map), path.string());
}

Pipeline Pipeline::load(const TensorReader& in, const std::string& path) {
  in.require(in.text("kind") == "muster model", "it is no model");
  if (in.text("format_version") != kFormatVersion)
    throw data_error(
        "{}: it has format version {}, and this muster reads version {}; train the model again or "
        "use the "
        "muster that wrote it",
        path, in.text("format_version"), kFormatVersion);
  Plan plan = stored_plan(in.text("recipe"), path);
  if (!plan.classifier) throw data_error("{}: its recipe has no classifier", path);
  std::vector<FittedBranch> branches;
  for (size_t b = 0; b < plan.branches.size(); ++b) {
    const TensorReader scope = in.scope("branch").scope(std::to_string(b));
    const auto input_dim = static_cast<size_t>(scope.number("input_dim"));
    branches.push_back(load_branch(plan.branches[b], plan.on_vectors(), input_dim, scope));
    branches.back().input_dim = input_dim;
  }
  const PlannedStage& stage = *plan.classifier;
  std::shared_ptr<const Classifier> classifier =
      plan.on_vectors()
          ? stage.as<VectorClassifierStage>().load(*stage.options, in.scope("classifier"))
          : stage.as<GramClassifierStage>().load(*stage.options, in.scope("classifier"));
  const nlohmann::json names = nlohmann::json::parse(in.text("class_names"), nullptr, false);
  if (!names.is_array() || static_cast<int>(names.size()) != classifier->num_classes())
    throw data_error("{}: its class names do not fit its classifier; the file is damaged", path);
  const bool multi_label = in.text("multi_label") == "true";
  std::shared_ptr<const KeptTraining> training =
      load_training(in.scope("training"), names.get<std::vector<std::string>>(), multi_label);
  std::shared_ptr<const ClassMixtures> class_mixtures =
      load_class_mixtures(in.scope("class_mixtures"), plan, branches);
  return Pipeline(std::move(plan), std::move(branches), std::move(classifier),
                  names.get<std::vector<std::string>>(), multi_label,
                  parse_seed(in.text("seed"), path), std::move(training),
                  std::move(class_mixtures));
}

}  // namespace muster
