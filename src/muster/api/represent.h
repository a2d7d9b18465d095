// What gram() and fit_encoder() share: the one branch of a recipe without a classifier.
#pragma once

#include "muster/api/run.h"
#include "muster/recipe/plan.h"

namespace muster {

// Without a feature stage if the items are vector sets. A classifier, several branches or a recipe
// that stops at sets are usage errors in the name of `what`.
BranchPlan plan_representation(const std::string& what, const std::string& recipe,
                               const std::vector<std::string>& overrides, ItemKind kind,
                               const Run& run);

enum class ArrayFormat { kNpy, kLibsvm };
// By extension (.npy; .libsvm or .txt); another one is a usage error.
ArrayFormat array_format(const std::filesystem::path& path);

}  // namespace muster
