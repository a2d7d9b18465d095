#include "sets.h"

#include <numeric>

namespace muster::cli {

void SetRecipe::add_to(CLI::App& app) {
  app.add_option("--recipe,-r", choice.recipe,
                 "a recipe without a classifier, such as pca:dim=8/bow:words=100")
      ->required();
  app.add_option("--set", choice.overrides,
                 "option=value or stage.option=value; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
}

BranchPlan SetRecipe::plan(const std::string& command, const Common& common) const {
  const Plan plan = plan_recipe(fit_to_data(choice.resolve(""), ItemKind::kVectorSets, common));
  if (plan.classifier)
    throw usage_error(
        "{}: the recipe '{}' ends in a classifier ({}); leave it out, {} needs no labels", command,
        choice.recipe, plan.classifier->entry->name, command);
  if (!plan.branches[0].complete())
    throw usage_error("{}: the recipe '{}' stops at sets; it needs a set feature such as bow{}",
                      command, choice.recipe,
                      command == "gram" ? " or a set kernel such as sum-match" : "");
  return plan.branches[0];
}

Sets::Sets(const std::string& path, const Progress& progress) {
  dataset_.kind = ItemKind::kVectorSets;
  dataset_.root = path;
  for (const std::filesystem::path& file : list_sets(path)) {
    Item item;
    item.path = file;
    item.name = file.filename().string();
    dataset_.items.push_back(std::move(item));
  }
  items_.resize(dataset_.items.size());
  std::iota(items_.begin(), items_.end(), size_t{0});
  source_ = std::make_unique<ItemSource>(dataset_);
  const std::vector<ItemFailure> failures = source_->prepare(std::nullopt, items_, progress);
  if (failures.empty()) return;
  throw data_error("{}{}", failures[0].reason,
                   failures.size() == 1
                       ? ""
                       : fmt::format(" (and {} more sets cannot be read)", failures.size() - 1));
}

ArrayFormat array_format(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") return ArrayFormat::kNpy;
  if (extension == ".libsvm" || extension == ".txt") return ArrayFormat::kLibsvm;
  throw usage_error(
      "-o {}: the name must end in .npy, or in .libsvm or .txt for the text format of LIBSVM",
      path);
}

}  // namespace muster::cli
