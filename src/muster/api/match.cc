#include <array>

#include "muster/api/represent.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/setkernel/correspondence.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"

namespace muster {
namespace {

Error no_matches(const BranchPlan& plan) {
  return usage_error(
      "match: {} does not say which vectors belong together; end the recipe in pmk, vg-pmk, "
      "matching or greedy",
      plan.short_name());
}

// A width that is left to cross-validation: there is nothing to validate on, so the middle of the
// grid.
std::shared_ptr<const SetKernel> settled(const SetKernel& kernel,
                                         const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) {
    require_weights_taken(kernel, set);
    represented.push_back(kernel.represent(set));
  }
  const auto candidates = kernel.candidates(represented);
  return middle_of(candidates);
}

}  // namespace

Matches match(const Input& a, const Input& b, const std::string& recipe,
              const RepresentOptions& options) {
  const Run run(run_options(options), "match");
  const std::array<Input, 2> items{a, b};
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  const ItemKind kind = common_kind(source, "match");
  const BranchPlan plan = plan_representation("match", recipe, options.set, kind, run);
  if (!plan.set_kernel || !plan.transforms.empty()) throw no_matches(plan);
  const FittedBranch branch =
      fit_branch(plan, source, all_items_of(source), Labels(), Rng(options.seed), run.progress());
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < items.size(); ++i)
    sets.push_back(branch.reduce(source.load(plan.extraction.get(), i)));
  const std::shared_ptr<const SetKernel> kernel = settled(*branch.kernel, sets);
  const auto* matcher = dynamic_cast<const ImpliesMatches*>(kernel.get());
  if (!matcher) throw no_matches(plan);
  Matches out;
  out.recipe = Plan{{plan}, {}}.recipe().text();
  out.costs = plan.gives_distances();
  for (const Correspondence& pair : matcher->matches(sets[0], sets[1]))
    out.pairs.push_back({pair.a, pair.b, pair.level, pair.weight});
  for (size_t i = 0; i < items.size(); ++i) {
    out.sizes[i] = sets[i].size();
    out.places[i] = to_vectors(sets[i].places);
  }
  return out;
}

}  // namespace muster
