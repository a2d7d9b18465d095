#include "muster/recipe/plan.h"

#include <algorithm>

namespace muster {
namespace {

constexpr size_t kDefaultSamples = 100000;

PlannedStage plan_stage(const StageSpec& spec) {
  const StageEntry& entry = find_stage(spec.name);
  std::unique_ptr<AnyOptions> options = entry.make_options();
  for (const auto& [name, value] : spec.options) options->set(spec.name, name, value);
  const auto* extractor = std::get_if<ExtractorStage>(&entry.functions);
  if (extractor && extractor->resolve) extractor->resolve(*options);
  return {&entry, std::move(options)};
}

template <class Stage>
bool holds(const PlannedStage& stage) {
  return std::holds_alternative<Stage>(stage.entry->functions);
}

Error misplaced(const PlannedStage& stage, const std::string& why) {
  return usage_error(
      "recipe: {} ({}) {}; the order is feature / reductions / set feature [/ vector scaling] [/ "
      "vector "
      "kernel] or set kernel / kernel transforms / classifier",
      stage.entry->name, stage.entry->kind(), why);
}

void add_transform(PlannedStage stage, BranchPlan& branch) {
  if (!branch.has_kernel())
    throw misplaced(stage, branch.complete() ? "must follow a kernel; put linear between"
                                             : "must follow a kernel");
  if (stage.entry->name == "normalise" && branch.gives_distances())
    throw misplaced(stage, "cannot follow a distance, which is 0 between a set and itself");
  if (branch.learns_weights())
    throw misplaced(
        stage,
        "cannot follow a kernel whose weights are learned; use weights=dyadic or constant there");
  branch.transforms.push_back(std::move(stage));
}

// A classifier on distances would take the most unlike for the most alike.
void refuse_distances(const BranchPlan& branch, const PlannedStage& classifier) {
  if (branch.gives_distances())
    throw usage_error(
        "recipe: {} cannot follow {}, which gives distances; use a similarity (such as "
        "distance=false) or put "
        "empirical-map between them; muster gram gives the distances themselves",
        classifier.entry->name, branch.set_kernel->full_spec().text());
}

// Adds the stage to the branch, or to the plan if it is the classifier.
void add_stage(PlannedStage stage, BranchPlan& branch, Plan& plan) {
  if (plan.classifier) throw misplaced(stage, "stands after the classifier");
  if (holds<ExtractorStage>(stage)) {
    if (branch.extractor || !branch.reducers.empty() || branch.complete())
      throw misplaced(stage, "must come first in its branch");
    const ExtractorStage& functions = stage.as<ExtractorStage>();
    branch.extraction = std::make_shared<Extraction>(
        Extraction{stage.full_spec().text(), functions.make(*stage.options),
                   functions.max_side_px(*stage.options)});
    branch.extractor = std::move(stage);
  } else if (holds<ReducerStage>(stage)) {
    if (branch.complete())
      throw misplaced(stage, "must come before the sets become vectors or kernels");
    branch.reducers.push_back(std::move(stage));
  } else if (holds<SetFeatureStage>(stage)) {
    if (branch.complete()) throw misplaced(stage, "is the second one of its kind in the branch");
    branch.set_feature = std::move(stage);
  } else if (holds<SetKernelStage>(stage)) {
    if (branch.complete()) throw misplaced(stage, "cannot follow a set feature or another kernel");
    branch.set_kernel = std::move(stage);
  } else if (holds<KernelTransformStage>(stage)) {
    add_transform(std::move(stage), branch);
  } else if (holds<VectorScalingStage>(stage)) {
    if (!branch.set_feature || branch.feature_kernel)
      throw misplaced(stage, "must follow a set feature");
    if (branch.vector_scaling)
      throw misplaced(stage, "is the second one of its kind in the branch");
    branch.vector_scaling = std::move(stage);
  } else if (holds<FeatureKernelStage>(stage)) {
    if (!branch.set_feature || branch.feature_kernel)
      throw misplaced(stage, "must follow a set feature");
    branch.feature_kernel = std::move(stage);
  } else {
    if (!branch.complete()) throw misplaced(stage, "needs a set feature or set kernel before it");
    plan.classifier = std::move(stage);
  }
}

}  // namespace

StageSpec PlannedStage::full_spec() const {
  StageSpec spec{entry->name, {}};
  const std::unique_ptr<AnyOptions> copy = options->clone();
  for (const Field& field : copy->fields().list())
    spec.options.emplace_back(field.name(), field.text());
  return spec;
}

size_t PlannedStage::num_samples() const {
  const std::unique_ptr<AnyOptions> copy = options->clone();
  Fields fields = copy->fields();
  const Field* samples = fields.find("samples");
  return samples ? static_cast<size_t>(*samples->as<int>()) : kDefaultSamples;
}

std::vector<StageSpec> BranchPlan::full_specs() const {
  std::vector<StageSpec> out;
  const auto add = [&](const std::optional<PlannedStage>& stage) {
    if (stage) out.push_back(stage->full_spec());
  };
  add(extractor);
  for (const PlannedStage& reducer : reducers) out.push_back(reducer.full_spec());
  for (const auto* stage : {&set_feature, &vector_scaling, &feature_kernel, &set_kernel})
    add(*stage);
  for (const PlannedStage& transform : transforms) out.push_back(transform.full_spec());
  return out;
}

std::string BranchPlan::short_name() const {
  std::vector<std::string> names;
  for (const StageSpec& spec : full_specs()) names.push_back(spec.name);
  return fmt::format("{}", fmt::join(names, "/"));
}

Psd BranchPlan::psd() const {
  Psd psd = Psd::kAlways;
  if (set_kernel) psd = set_kernel->traits().psd;
  if (feature_kernel) psd = feature_kernel->traits().psd;
  for (const PlannedStage& transform : transforms)
    if (transform.traits().psd != Psd::kConditional) psd = transform.traits().psd;
  return psd;
}

bool BranchPlan::gives_distances() const {
  if (!set_kernel || !set_kernel->traits().distance) return false;
  // What is a Mercer kernel always is a similarity, too.
  return std::ranges::none_of(transforms, [](const PlannedStage& transform) {
    return transform.traits().psd == Psd::kAlways;
  });
}

Psd Plan::psd() const {
  Psd psd = Psd::kAlways;
  for (const BranchPlan& branch : branches) psd = std::max(psd, branch.psd());
  return psd;
}

std::optional<WeightLearning> Plan::weight_learning() const {
  if (!classifier || holds<VectorClassifierStage>(*classifier)) return {};
  return classifier->as<GramClassifierStage>().weight_learning(*classifier->options);
}

bool Plan::weighs_vectors() const {
  if (!classifier || !holds<VectorClassifierStage>(*classifier)) return false;
  const auto& weighs = classifier->as<VectorClassifierStage>().weighs_branches;
  return weighs && weighs(*classifier->options);
}

bool Plan::on_vectors() const {
  if (!classifier || holds<GramClassifierStage>(*classifier)) return false;
  if (holds<VectorClassifierStage>(*classifier)) return true;
  return !weight_learning() && std::ranges::none_of(branches, &BranchPlan::has_kernel);
}

Recipe Plan::recipe() const {
  Recipe out;
  for (const BranchPlan& branch : branches) out.branches.push_back(branch.full_specs());
  if (classifier)
    (out.branches.size() == 1 ? out.branches[0] : out.joined).push_back(classifier->full_spec());
  return out;
}

std::vector<std::string> Plan::branch_names() const {
  std::vector<std::string> out;
  for (const BranchPlan& branch : branches) {
    std::vector<StageSpec> named = branch.full_specs();
    std::vector<std::vector<StageSpec>> alike;
    for (const BranchPlan& other : branches)
      if (other.short_name() == branch.short_name()) alike.push_back(other.full_specs());
    for (size_t s = 0; s < named.size(); ++s)
      std::erase_if(named[s].options, [&](const auto& option) {
        return std::ranges::all_of(alike, [&](const std::vector<StageSpec>& other) {
          return std::ranges::count(other[s].options, option) > 0;
        });
      });
    out.push_back(Recipe{{std::move(named)}, {}}.text());
  }
  return out;
}

Plan plan_recipe(const Recipe& recipe) {
  Plan plan;
  for (const std::vector<StageSpec>& stages : recipe.branches) {
    BranchPlan& branch = plan.branches.emplace_back();
    for (const StageSpec& spec : stages) add_stage(plan_stage(spec), branch, plan);
    if (recipe.branches.size() > 1 && plan.classifier)
      throw misplaced(*plan.classifier,
                      "belongs after '//', where the branches are brought together");
  }
  for (const StageSpec& spec : recipe.joined) {
    PlannedStage stage = plan_stage(spec);
    if (stage.entry->kind() != "classifier") throw misplaced(stage, "cannot follow '//'");
    for (const BranchPlan& branch : plan.branches) {
      if (!branch.complete())
        throw misplaced(stage, "needs a set feature or set kernel in every branch");
    }
    if (plan.classifier) throw misplaced(stage, "stands after the classifier");
    plan.classifier = std::move(stage);
  }
  if (plan.classifier)
    for (const BranchPlan& branch : plan.branches) refuse_distances(branch, *plan.classifier);
  if (plan.weight_learning())
    for (const BranchPlan& branch : plan.branches)
      if (branch.learns_weights())
        throw usage_error("recipe: {} and {} both learn weights; give weights to one of them only",
                          branch.set_kernel->entry->name, plan.classifier->entry->name);
  if (plan.on_vectors())
    for (const BranchPlan& branch : plan.branches)
      if (branch.has_kernel())
        throw misplaced(*plan.classifier,
                        "takes vectors and cannot follow a kernel; use kernel-svm");
  return plan;
}

void override_option(Recipe& recipe, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw usage_error("--set {}: an override looks like option=value or stage.option=value",
                      assignment);
  const std::string_view target = assignment.substr(0, equals);
  const std::string given(assignment.substr(equals + 1));
  const size_t dot = target.find('.');
  const std::string_view stage_name = dot == std::string_view::npos ? "" : target.substr(0, dot);
  const std::string option(dot == std::string_view::npos ? target : target.substr(dot + 1));

  size_t reached = 0;
  std::vector<std::string> known;
  const auto visit = [&](StageSpec& stage) {
    const std::unique_ptr<AnyOptions> options = find_stage(stage.name).make_options();
    Fields fields = options->fields();
    for (const Field& field : fields.list()) known.push_back(stage.name + "." + field.name());
    if (!stage_name.empty() && stage.name != stage_name) return;
    const Field* field = fields.find(option);
    if (!field) return;
    options->set(stage.name, option, given);
    ++reached;
    // A path given alone is written as recipes write it.
    const std::string value =
        field->type().find("text") != std::string::npos ? field->text() : given;
    const auto existing =
        std::ranges::find(stage.options, option, &std::pair<std::string, std::string>::first);
    if (existing == stage.options.end())
      stage.options.emplace_back(option, value);
    else
      existing->second = value;
  };
  for (auto& branch : recipe.branches)
    for (StageSpec& stage : branch) visit(stage);
  for (StageSpec& stage : recipe.joined) visit(stage);
  if (reached == 0)
    throw usage_error("--set {}: no stage of '{}' has that option{}; choose from: {}", assignment,
                      recipe.text(), did_you_mean(target, known), fmt::join(known, ", "));
}

}  // namespace muster
