// What stands before anything is learned: a feature stage and the reductions that learn nothing.
#pragma once

#include "muster/recipe/plan.h"
#include "muster/source/set_source.h"

namespace muster {

// A recipe that goes beyond that, or that has no feature stage for pictures, is a usage error.
BranchPlan plan_local_features(const Recipe& recipe, ItemKind kind);

// The set of an item by such a plan.
VectorSet local_features(const BranchPlan& plan, const SetSource& source, size_t item);

}  // namespace muster
