#include "muster/api/represent.h"

#include "muster/core/error.h"
#include "muster/recipe/default_method.h"
#include "muster/store/atomic_file.h"

namespace muster {

BranchPlan plan_representation(const std::string& what, const std::string& recipe,
                               const std::vector<std::string>& overrides, ItemKind kind,
                               const Run& run) {
  if (recipe.empty()) throw usage_error("{}: give a recipe, such as bow:words=100", what);
  const Plan plan =
      plan_recipe(fit_to_data(chosen_recipe({"", recipe, overrides}, ""), kind, run.notice()));
  if (plan.classifier)
    throw usage_error(
        "{}: the recipe '{}' ends in a classifier ({}); leave it out, {} needs no labels", what,
        recipe, plan.classifier->entry->name, what);
  if (plan.branches.size() > 1)
    throw usage_error("{}: the recipe '{}' has {} branches; give one at a time", what, recipe,
                      plan.branches.size());
  if (!plan.branches[0].complete())
    throw usage_error("{}: the recipe '{}' stops at sets; it needs a set feature such as bow{}",
                      what, recipe, what == "gram" ? " or a set kernel such as sum-match" : "");
  return plan.branches[0];
}

void check_array_file(const std::filesystem::path& path) {
  array_format(path);
  check_output(path);
}

ArrayFormat array_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npy") return ArrayFormat::kNpy;
  if (extension == ".libsvm" || extension == ".txt") return ArrayFormat::kLibsvm;
  throw usage_error(
      "-o {}: the name must end in .npy, or in .libsvm or .txt for the text format of LIBSVM",
      path.string());
}

}  // namespace muster
