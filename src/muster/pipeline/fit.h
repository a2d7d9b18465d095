// From items and labels to a Pipeline: every stage is fitted in turn. Each picture is extracted at
// most twice, once to be sampled and once to be encoded, and once only if the source's cache has
// room for it.
#pragma once

#include "muster/core/rng.h"
#include "muster/pipeline/pipeline.h"

namespace muster {

struct HeldOutScores;
struct UniversalFile;

struct FitOptions {
  StageSeconds* seconds = nullptr;  // gets the time of each stage
  // A kernel machine keeps the training sets in any case, and their labels with them; this keeps
  // their kernel matrix as well, and the training vectors of the others.
  bool keep_training = false;
  // If given, holds all of the recipe's only branch that is learned.
  const UniversalFile* universal = nullptr;
  // Adapts the recipe's universal mixture to every class, so that the model can say what is none of
  // them. A usage error if require_universal_stage() says so.
  bool class_mixtures = false;
  // If given, what the classifier says of unseen items comes from these scores instead of its own
  // cross-validation, whose folds a vocabulary or mixture has seen.
  const HeldOutScores* held_out = nullptr;
  // Trains in the way that so many items would be trained on, if they are more than are given: for
  // forecasts from a few of them.
  size_t as_if_items = 0;
  // If given, items that cannot be read are left out and it is called with them, before anything is
  // learned; else one is an error. Not a single readable item is a data error.
  std::function<void(std::span<const ItemFailure>)> left_out = {};
};

// Fits every stage in turn on the items given, all of which must be labelled.
Pipeline fit_pipeline(const Plan& plan, const SetSource& source, std::span<const size_t> items,
                      const Labels& labels_of_items, uint64_t seed, const Progress& progress,
                      const FitOptions& options = {});

// Without a classifier: what encoders and kernel matrices need. `vectors`, unless null, gets what
// encode_items would give for the items if fitting had to encode them (standardise), and else
// becomes empty. Items that cannot be read are an error.
FittedBranch fit_branch(const BranchPlan& plan, const SetSource& source,
                        std::span<const size_t> items, const Labels& labels_of_items, Rng rng,
                        const Progress& progress, Matrix<float>* vectors = nullptr);

}  // namespace muster
