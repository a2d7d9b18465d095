#include "muster/api/represent.h"

#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/recipe/method_choice.h"
#include "muster/source/readable.h"
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

void FittedRepresentation::check_kinds(const SetSource& source, const std::string& noun) const {
  for (size_t i = 0; i < source.size(); ++i)
    if ((source.kind(i) == ItemKind::kImages) != (branch.extraction != nullptr))
      throw data_error("{}: the {} was fitted to {}", source.name(i), noun,
                       branch.extraction ? "pictures" : "vector sets");
}

TensorMap FittedRepresentation::tensors(FileKind kind) const {
  TensorMap map;
  const TensorWriter out(map);
  put_kind(kind, out);
  out.put_text("recipe", recipe());
  out.put("input_dim", static_cast<double>(branch.input_dim));
  save_branch(branch, out.scope("branch"));
  return map;
}

FittedRepresentation FittedRepresentation::load(FileKind kind, const TensorMap& map,
                                                const std::string& file) {
  const TensorReader in(map);
  require_kind(kind, in, file);
  Plan plan;
  try {
    plan = plan_recipe(parse_recipe(in.text("recipe")));
  } catch (const Error& error) {
    throw data_error("{}: its recipe cannot be used: {}", file, error.what());
  }
  const bool encoder = kind == FileKind::kEncoder;
  in.require(plan.branches.size() == 1 && !plan.classifier && plan.branches[0].complete() &&
                 !(encoder && plan.branches[0].has_kernel()),
             "the recipe is not that of such a file");
  FittedBranch branch = load_branch(
      plan.branches[0], encoder, static_cast<size_t>(in.number("input_dim")), in.scope("branch"));
  return {plan.branches[0], std::move(branch)};
}

BranchPlan plan_kernel(const std::string& recipe, const std::vector<std::string>& overrides,
                       ItemKind kind, const Run& run) {
  BranchPlan plan = plan_representation("gram", recipe, overrides, kind, run);
  if (plan.learns_weights())
    throw usage_error(
        "gram: {} learns its weights from labels, and sets have none; use weights=dyadic or "
        "constant",
        plan.set_kernel->full_spec().name);
  return plan;
}

FittedRepresentation fit_to(BranchPlan plan, const SetSource& source, uint64_t seed,
                            const Run& run) {
  require_same_items(source);
  const std::vector<size_t> items = all_items_of(source);
  FittedBranch branch = fit_branch(plan, source, items, Labels(), Rng(seed), run.progress());
  give_kernel(branch);
  branch.training = represent_items(branch, source, items, run.progress());
  // Without labels there is nothing to choose a width (or the finest level of a pyramid) by: the
  // middle of the grid has the scale of the data.
  const auto candidates = branch.kernel->candidates(branch.training);
  branch.kernel = middle_of(candidates);
  FittedRepresentation out{std::move(plan), std::move(branch)};
  if (candidates.size() > 1 && out.recipe().find("gamma=auto") != std::string::npos)
    run.say(
        "gamma=auto: there are no labels to choose it by, so it is 1 / mean distance of the sets");
  return out;
}

Vectors to_vectors(const Matrix<float>& rows) {
  const auto values = rows.values();
  return {rows.rows(), rows.cols(), std::vector<float>(values.begin(), values.end())};
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
