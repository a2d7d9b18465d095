// Every stage of the registry in every setting of the contract tests, as whole recipes of vector
// sets that are fitted in milliseconds, and the sets to fit them on.
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "muster/muster.h"

namespace muster {

// Around each stage what it needs before and after it.
inline std::string recipe_around(const PlannedStage& stage) {
  const StageEntry& entry = *stage.entry;
  const std::string own = stage.full_spec().text(), kernel = "/kernel-svm:C=1",
                    linear = "/linear-svm:C=1", words = "bow:words=4";
  if (std::holds_alternative<SetFeatureStage>(entry.functions)) return own + linear;
  if (std::holds_alternative<SetKernelStage>(entry.functions)) return own + kernel;
  if (std::holds_alternative<FeatureKernelStage>(entry.functions))
    return words + "/" + own + kernel;
  if (std::holds_alternative<KernelTransformStage>(entry.functions))
    return "sum-match:gamma=1/" + own + kernel;
  if (std::holds_alternative<ReducerStage>(entry.functions)) return own + "/" + words + linear;
  if (std::holds_alternative<VectorScalingStage>(entry.functions))
    return words + "/" + own + linear;
  if (std::holds_alternative<VectorClassifierStage>(entry.functions) ||
      std::holds_alternative<EitherClassifierStage>(entry.functions))
    return words + "/" + own;
  if (std::holds_alternative<GramClassifierStage>(entry.functions)) return words + "/linear/" + own;
  return "";  // extractors are for pictures
}

inline std::vector<std::string> small_recipes() {
  std::vector<std::string> out{
      "pca:dim=3/bow:words=4+l2/fisher:components=2//linear-svm:C=1",
      "bow:words=4/rbf+pmk:pyramids=2+klk:components=2//kernel-svm:C=1",
      "pca:dim=4/l2/places/ppk:components=2/normalise/subpoly/klr:C=1",
      "bow:words=4/standardise/linear/empirical-map/kernel-svm",
      "bow:words=4+pmk:pyramids=2//knn",
  };
  for (const StageEntry& entry : all_stages())
    for (const contract::StageCase& tested : contract::settings_of(entry))
      if (const std::string recipe = recipe_around(tested.stage); !recipe.empty())
        out.push_back(recipe);
  return out;
}

// Sets with places in three classes, and views of them.
struct PlacedSets {
  std::vector<VectorSet> data;
  std::vector<SetView> views;
  std::vector<std::string> labels;

  explicit PlacedSets(size_t count, float scale = 1) {
    for (size_t i = 0; i < count; ++i) {
      VectorSet set = contract::random_set(4 + 3 * i % 7, 100 + i);
      for (float& value : set.vectors.values())
        value = scale * (value + 0.5f * static_cast<float>(i % 3));
      add(std::move(set), "class" + std::to_string(i % 3));
    }
  }
  PlacedSets(PlacedSets&&) = default;  // a copy's views would be of the original
  void add(VectorSet set, const std::string& label) {
    data.push_back(std::move(set));
    labels.push_back(label);
    views.clear();
    for (const VectorSet& one : data)
      views.push_back({.vectors = one.vectors.data(),
                       .rows = one.size(),
                       .dim = one.dim(),
                       .places = one.places.data(),
                       .place_columns = 3});
  }
};

// Empty if the answers are what they must be: an error about the data, or finite probabilities that
// sum to 1.
inline std::string fault_of(const std::vector<Answer>& answers, bool multi_label = false) {
  for (const Answer& answer : answers) {
    if (const Error* error = answer.error()) {
      if (error->kind() != ErrorKind::kData) return error->what();
      continue;
    }
    double sum = 0;
    for (const double p : answer->probabilities()) {
      if (!(p >= 0 && p <= 1 + 1e-9)) return fmt::format("a probability is {}", p);
      sum += p;
    }
    if (!multi_label && !(std::abs(sum - 1) < 1e-6)) return fmt::format("their sum is {}", sum);
    for (const double score : answer->scores())
      if (!std::isfinite(score)) return fmt::format("a score is {}", score);
    if (answer->typicality() && !(*answer->typicality() >= 0 && *answer->typicality() <= 1))
      return fmt::format("a typicality is {}", *answer->typicality());
  }
  return "";
}

}  // namespace muster
