// `auto`: looks at the data, proposes recipes whose parameters follow them, judges these by
// repeated stratified cross-validation in which everything that is learned is learned inside the
// folds, and takes the best, or a cheaper one that is as good. Why so: docs/decisions/0018-auto.md.
//
// Deterministic: what is tried and chosen depends on data, options and seed alone, never on the
// clock or the number of threads.
#pragma once

#include <functional>

#include "muster/core/progress.h"
#include "muster/crossval/cross_validation.h"
#include "muster/pipeline/choice.h"
#include "muster/recipe/recipe.h"
#include "muster/source/set_source.h"

namespace muster {

// The method name that stands for it.
inline constexpr const char* kAutoMethod = "auto";

struct ChooseOptions {
  Effort effort = Effort::kNormal;
  uint64_t seed = 1;
  // As override_option() takes them, for all candidates; one that no candidate has is a usage
  // error.
  std::vector<std::string> overrides = {};
  bool one_branch = false;  // only recipes of a single branch, which rest on one universal mixture
  std::function<void(const std::string&)> notice = {};  // told what is to come; may be empty
};

struct Chosen {
  Recipe recipe;
  Choice choice;
  // Of the chosen recipe, for FitOptions::held_out; empty if nothing was judged. Items are the
  // source's.
  std::optional<HeldOutScores> held_out;
};

// `items` of the source with one entry of `labels` each, whose groups are not divided. Items that
// cannot be read are passed over.
Chosen choose_recipe(const SetSource& source, std::span<const size_t> items, const Labels& labels,
                     const ChooseOptions& options, const Progress& progress);

// The score to expect of a classifier that learns from all items, if those that learned from this
// share of them had `score`: the more they had learned beyond chance, the more is left to learn.
double with_all_items(double score, double share, double chance);

}  // namespace muster
