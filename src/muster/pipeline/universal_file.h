// A universal mixture in a file of its own (UGM 4.2.3): what a fisher, supervector, ppk or klk
// stage learned, with the feature and the reductions before it, to be used for other categories or
// data. A model made with it learns nothing from its data but the classifier.
#pragma once

#include <filesystem>

#include "muster/pipeline/branch.h"

namespace muster {

// Immutable.
struct UniversalFile {
  std::filesystem::path path;
  std::string recipe;  // feature and reductions, every option spelled out
  size_t input_dim = 0;
  std::vector<std::shared_ptr<const Reducer>> reducers;
  Universal universal;
  std::string checksum;

  // Throws a data error for a file of another kind.
  static UniversalFile load(const std::filesystem::path& path);
  // The branch made from what the file holds. Throws a usage error if its feature, its
  // reductions or the options of its last stage are not those that the mixture was learned with.
  FittedBranch make_branch(const BranchPlan& plan) const;
};

// Throws a usage error in the name of `wanted_by` if the recipe has several branches or does not
// rest on a universal mixture.
void require_universal_stage(const Plan& plan, const std::string& wanted_by);

// The mixture of a branch that rests on one, as long as the branch lives.
const Universal& universal_of(const FittedBranch& branch);

// The mixture of a recipe's only branch, which require_universal_stage() must allow. Atomic.
void save_universal(const BranchPlan& plan, const FittedBranch& branch,
                    const std::filesystem::path& path);

}  // namespace muster
