// A recipe is one shell-safe string that says a whole method:
//
//   dsift:step=8,size=16,24/pca:dim=50/emk-fourier:dim=1000,levels=2/linear-svm
//   dsift/spm+rgb/spm//kernel-svm:weights=qp
//
// Stages are joined by '/', options follow ':' and are separated by ','; a piece without '=' goes
// on with the list before it. Branches are joined by '+', and '//' starts what follows once they
// are brought together. parse_recipe(recipe.text()) == recipe for all recipes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

struct StageSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;

  std::string text() const;
  bool operator==(const StageSpec&) const = default;
};

struct Recipe {
  // One branch holds all stages; of several, `joined` holds what follows them.
  std::vector<std::vector<StageSpec>> branches;
  std::vector<StageSpec> joined;

  std::string text() const;
  bool operator==(const Recipe&) const = default;
};

// Checks the grammar only; what the names mean is the registry's business. A mistake is a usage
// error that points at the place.
Recipe parse_recipe(std::string_view text);

}  // namespace muster
