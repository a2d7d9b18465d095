// A recipe made ready: every stage found in the registry, every option checked, the order of stages
// understood.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/pipeline/registry.h"

namespace muster {

struct PlannedStage {
  const StageEntry* entry = nullptr;
  std::shared_ptr<const AnyOptions> options;

  // With every option spelt out, so that a later change of a default does not change what it means.
  StageSpec full_spec() const;
  // The option called `samples` where the stage has one: how many vectors it is fitted on.
  size_t num_samples() const;
  template <class Stage>
  const Stage& as() const {
    return std::get<Stage>(entry->functions);
  }
};

// extractor? reduction* (set feature, vector scaling?, vector kernel? | set kernel)
struct BranchPlan {
  std::optional<PlannedStage> extractor;
  std::vector<PlannedStage> reducers;
  std::optional<PlannedStage> set_feature;
  std::optional<PlannedStage> vector_scaling;
  std::optional<PlannedStage> feature_kernel;
  std::optional<PlannedStage> set_kernel;

  bool complete() const { return set_feature || set_kernel; }
  bool has_kernel() const { return feature_kernel || set_kernel; }
};

struct Plan {
  std::vector<BranchPlan> branches;
  std::optional<PlannedStage> classifier;

  // True where the classifier takes vectors; then no branch has a kernel.
  bool on_vectors() const;
  // Fully spelt out.
  Recipe recipe() const;
};

// Throws a usage error that says which stage cannot follow which.
Plan plan_recipe(const Recipe& recipe);

// `assignment` is option=value or stage.option=value; without a stage it reaches every stage that has the
// option. One that reaches none is a usage error.
void override_option(Recipe& recipe, std::string_view assignment);

}  // namespace muster
