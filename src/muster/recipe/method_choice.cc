#include "muster/recipe/method_choice.h"

#include "muster/recipe/plan.h"

namespace muster {

Recipe chosen_recipe(const MethodChoice& choice, const std::string& fallback) {
  if (!choice.recipe.empty() && !choice.method.empty())
    throw usage_error("method '{}' and recipe '{}': give one of them only", choice.method,
                      choice.recipe);
  Recipe out = !choice.recipe.empty()
                   ? parse_recipe(choice.recipe)
                   : recipe_of_method(choice.method.empty() ? fallback : choice.method);
  for (const std::string& assignment : choice.overrides) override_option(out, assignment);
  return out;
}

Recipe fit_to_data(Recipe recipe, ItemKind kind,
                   const std::function<void(const std::string&)>& notice) {
  if (kind == ItemKind::kImages) return recipe;
  for (auto& branch : recipe.branches) {
    if (branch.empty() || find_stage(branch.front().name).kind() != "feature") continue;
    if (notice)
      notice(fmt::format("the data are vector sets: the feature stage {} is left out",
                         branch.front().name));
    branch.erase(branch.begin());
  }
  return recipe;
}

}  // namespace muster
