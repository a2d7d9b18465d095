#include "muster/pipeline/local_features.h"

namespace muster {

BranchPlan plan_local_features(const Recipe& recipe, ItemKind kind) {
  const Plan plan = plan_recipe(recipe);
  const BranchPlan& branch = plan.branches[0];
  if (plan.classifier || plan.branches.size() > 1 || branch.complete())
    throw usage_error(
        "extract: the recipe '{}' goes beyond local features; give a feature and reductions only, "
        "such as dsift/root",
        recipe.text());
  for (const PlannedStage& stage : branch.reducers)
    if (stage.as<ReducerStage>().needs_sample)
      throw usage_error(
          "extract: {} must be fitted to training data, so it cannot be part of stored features; "
          "leave it to muster train",
          stage.entry->name);
  if (kind == ItemKind::kImages && !branch.extractor)
    throw usage_error(
        "extract: the data are pictures, so the recipe must begin with a feature such as dsift");
  return branch;
}

VectorSet local_features(const BranchPlan& plan, const SetSource& source, size_t item) {
  VectorSet set = source.load(plan.extraction.get(), item);
  for (const PlannedStage& stage : plan.reducers) {
    const Sample width{Matrix<float>(0, set.dim()), {}, 0};
    set = stage.as<ReducerStage>().fit(*stage.options, width, Rng(0))->apply(std::move(set));
  }
  return set;
}

}  // namespace muster
