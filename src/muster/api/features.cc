#include "muster/api/represent.h"
#include "muster/core/error.h"
#include "muster/pipeline/local_features.h"
#include "muster/recipe/method_choice.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"

namespace muster {

std::vector<LocalFeatures> extract_features(const std::string& recipe, Inputs items,
                                            const RepresentOptions& options) {
  const Run run(run_options(options), "extract");
  if (recipe.empty()) throw usage_error("extract: give a recipe, such as dsift/root");
  if (items.empty()) return {};
  SourceOptions kept = run.source();
  kept.memory_bytes = 0;  // each item is asked for once
  const CachedSource source(std::make_unique<InputSource>(items), kept);
  const ItemKind kind = common_kind(source, "extract");
  const BranchPlan plan = plan_local_features(
      fit_to_data(chosen_recipe({"", recipe, options.set}, ""), kind, run.notice()), kind);
  std::vector<LocalFeatures> out(items.size());
  ProgressStep step(run.progress(), "features", items.size());
  parallel_for(items.size(), 1, [&](size_t i, size_t) {
    const VectorSet set = local_features(plan, source, i);
    out[i] = {to_vectors(set.vectors), to_vectors(set.places), set.image_width, set.image_height};
    step.tick();
  });
  return out;
}

}  // namespace muster
