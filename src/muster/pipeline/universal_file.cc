#include "muster/pipeline/universal_file.h"

#include <fmt/format.h>

#include "muster/store/checksum.h"
#include "muster/store/file_kind.h"
#include "muster/store/read_file.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

constexpr const char* kStagesWithMixture = "fisher, supervector, ppk or klk";

// What comes before the mixture. Vector sets have no feature stage.
std::string prefix_text(const BranchPlan& plan) {
  Recipe recipe;
  std::vector<StageSpec>& stages = recipe.branches.emplace_back();
  if (plan.extractor) stages.push_back(plan.extractor->full_spec());
  for (const PlannedStage& reducer : plan.reducers) stages.push_back(reducer.full_spec());
  return stages.empty() ? "" : recipe.text();
}

}  // namespace

UniversalFile UniversalFile::load(const std::filesystem::path& path) {
  const TensorMap map = read_safetensors(path);
  const TensorReader in(map);
  require_kind(FileKind::kUniversalMixture, in, path.string());
  const std::string recipe = in.text("recipe");
  const size_t input_dim = in.count("input_dim");
  std::vector<std::shared_ptr<const Reducer>> reducers;
  size_t width = input_dim;
  try {
    if (!recipe.empty()) {
      const Plan plan = plan_recipe(parse_recipe(recipe));
      for (size_t s = 0; s < plan.branches[0].reducers.size(); ++s) {
        const PlannedStage& stage = plan.branches[0].reducers[s];
        const TensorReader scope = in.scope("reducer").scope(std::to_string(s));
        reducers.push_back(stage.as<ReducerStage>().load(*stage.options, width, scope));
        scope.require(reducers.back()->input_dim() == width, "a reduction of another dimension");
        width = reducers.back()->output_dim();
      }
    }
  } catch (const Error& error) {
    throw data_error("{}: its recipe cannot be used: {}", path.string(), error.what());
  }
  Universal universal = Universal::load(in.scope("universal"));
  in.require(universal.mixture.dim() == width, "a mixture of another dimension");
  return {path,
          recipe,
          input_dim,
          std::move(reducers),
          std::move(universal),
          fmt::format("{:016x}", checksum_of(read_file(path)))};
}

FittedBranch UniversalFile::make_branch(const BranchPlan& plan) const {
  if (prefix_text(plan) != recipe)
    throw usage_error(
        "{}: its mixture was learned after '{}', and the recipe has '{}' before it; give the same "
        "stages "
        "or learn another mixture",
        path.string(), recipe, prefix_text(plan));
  FittedBranch branch;
  branch.extraction = plan.extraction;
  branch.input_dim = input_dim;
  branch.reducers = reducers;
  const PlannedStage& last = plan.set_feature ? *plan.set_feature : *plan.set_kernel;
  if (plan.set_feature && last.as<SetFeatureStage>().from_universal)
    branch.feature = std::make_shared<SetFeature>(
        last.as<SetFeatureStage>().from_universal(*last.options, universal));
  else if (plan.set_kernel && last.as<SetKernelStage>().from_universal)
    branch.kernel = last.as<SetKernelStage>().from_universal(*last.options, universal);
  else
    throw usage_error("{}: {} does not rest on a universal mixture; use {}, or leave the file out",
                      path.string(), last.entry->name, kStagesWithMixture);
  return branch;
}

void require_universal_stage(const Plan& plan, const std::string& wanted_by) {
  if (plan.branches.size() != 1)
    throw usage_error(
        "{}: the recipe has {} branches; a universal mixture is taken from a recipe of one",
        wanted_by, plan.branches.size());
  const BranchPlan& branch = plan.branches[0];
  const bool has_one =
      branch.set_feature
          ? static_cast<bool>(branch.set_feature->as<SetFeatureStage>().from_universal)
          : branch.set_kernel &&
                static_cast<bool>(branch.set_kernel->as<SetKernelStage>().from_universal);
  if (!has_one)
    throw usage_error("{}: the recipe {} has no universal mixture; use {}", wanted_by,
                      branch.short_name(), kStagesWithMixture);
}

const Universal& universal_of(const FittedBranch& branch) {
  const Universal* universal =
      branch.feature ? branch.feature->universal() : branch.kernel->universal();
  MUSTER_CHECK(universal);
  return *universal;
}

void save_universal(const BranchPlan& plan, const FittedBranch& branch,
                    const std::filesystem::path& path) {
  TensorMap map;
  universal_of(branch).save(TensorWriter(map).scope("universal"));
  for (size_t s = 0; s < branch.reducers.size(); ++s)
    branch.reducers[s]->save(TensorWriter(map).scope("reducer").scope(std::to_string(s)));
  const TensorWriter top(map);
  top.put("input_dim", static_cast<double>(branch.input_dim));
  put_kind(FileKind::kUniversalMixture, top);
  top.put_text("recipe", prefix_text(plan));
  write_safetensors(path, map);
}

}  // namespace muster
