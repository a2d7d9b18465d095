// A recipe made ready: every stage found in the registry, every option checked, the order of stages
// understood.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/kernelweights/kernel_weights.h"
#include "muster/recipe/registry.h"
#include "muster/source/extraction.h"

namespace muster {

struct PlannedStage {
  const StageEntry* entry = nullptr;
  std::shared_ptr<const AnyOptions> options;

  // With every option spelled out, so that a later change of a default does not change what it
  // means.
  StageSpec full_spec() const;
  // How many vectors it is fitted on: the option called `samples`, if the stage has one.
  size_t num_samples() const;
  // With the options as they are.
  Traits traits() const { return entry->traits_in ? entry->traits_in(*options) : entry->traits; }
  template <class Stage>
  const Stage& as() const {
    if constexpr (std::is_base_of_v<Stage, EitherClassifierStage>)
      if (const auto* either = std::get_if<EitherClassifierStage>(&entry->functions))
        return *either;
    return std::get<Stage>(entry->functions);
  }
};

// extractor? reduction* (set feature, vector scaling?, vector kernel? | set kernel) transform*, the
// last after a kernel
struct BranchPlan {
  std::optional<PlannedStage> extractor;
  std::shared_ptr<const Extraction> extraction;  // made by the extractor; null without one
  std::vector<PlannedStage> reducers;
  std::optional<PlannedStage> set_feature;
  std::optional<PlannedStage> vector_scaling;
  std::optional<PlannedStage> feature_kernel;
  std::optional<PlannedStage> set_kernel;
  std::vector<PlannedStage> transforms;

  bool complete() const { return set_feature || set_kernel; }
  bool has_kernel() const { return feature_kernel || set_kernel; }
  // In their order, every option spelled out.
  std::vector<StageSpec> full_specs() const;
  // Its stages by name alone: "dsift/root/spm".
  std::string short_name() const;
  // Of the kernel that the branch ends in (the dot product if it stops at a set feature).
  Psd psd() const;
  // True if it needs labels to learn the weights of its parts.
  bool learns_weights() const { return set_kernel && set_kernel->traits().learns_weights; }
  // True if its values are distances, not similarities.
  bool gives_distances() const;
};

struct Plan {
  std::vector<BranchPlan> branches;
  std::optional<PlannedStage> classifier;

  // True if the classifier takes vectors; then no branch has a kernel.
  bool on_vectors() const;
  // Of the sum over branches.
  Psd psd() const;
  // How the classifier wants the kernels of all branches weighed, if it does.
  std::optional<WeightLearning> weight_learning() const;
  // Whether the vectors of branches are weighed by what the labels say (weights=held-out).
  bool weighs_vectors() const;
  // Fully spelled out.
  Recipe recipe() const;
  // Short names, one per branch; of those that would be alike, with the options in which they
  // differ: "dsift:size=16/spm".
  std::vector<std::string> branch_names() const;
};

// Throws a usage error that says which stage cannot follow which.
Plan plan_recipe(const Recipe& recipe);

// `assignment` is option=value or stage.option=value; without a stage it reaches every stage that
// has the option. One that reaches none is a usage error.
void override_option(Recipe& recipe, std::string_view assignment);

}  // namespace muster
