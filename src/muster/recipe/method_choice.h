// The recipe that data get if one is asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/dataset/dataset.h"
#include "muster/recipe/recipe.h"

namespace muster {

struct MethodChoice {
  std::string method;
  std::string recipe;                  // used instead of a method
  std::vector<std::string> overrides;  // as override_option() takes them
};

// What is asked for, or `fallback`, with the overrides. A method and a recipe at once are a usage
// error.
Recipe chosen_recipe(const MethodChoice& choice, const std::string& fallback);

// Feature stages have nothing to do for vector sets: they are left out, which `notice` (may be
// empty) is told.
Recipe fit_to_data(Recipe recipe, ItemKind kind,
                   const std::function<void(const std::string&)>& notice);

}  // namespace muster
