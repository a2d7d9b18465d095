// The vectors that the stages of a branch are fitted on, drawn for all of them in one pass over the
// items.
#pragma once

#include "muster/core/labels.h"
#include "muster/core/rng.h"
#include "muster/pipeline/branch.h"

namespace muster {

class BranchSamples {
 public:
  // Draws for every stage that wants a sample, per item by streams of `rng`, so that what is drawn
  // does not depend on threads. With a branch that learns nothing, only looks at the items.
  BranchSamples(const BranchPlan& plan, bool learns, const SetSource& source,
                std::span<const size_t> items, const Rng& rng, const Progress& progress);

  // Items that could not be read; if there are any, keep() those that could be before anything is
  // taken.
  const std::vector<ItemFailure>& failures() const { return failures_; }
  // Leaves out all items but those at these positions. Nothing is drawn again, so the samples
  // become smaller by the share of what is left out.
  void keep(std::span<const size_t> positions);
  size_t num_items() const { return items_.size(); }
  // The width that all sets share; sets of another width are a data error.
  size_t width() const;
  // About as many vectors as the stage wants, evenly over the items, from as many items at most,
  // after the reductions that
  // `branch` has so far; `width` is theirs. Stages in the order of a branch, each once.
  Sample take(size_t stage, const FittedBranch& branch, size_t width, const Labels& labels);

 private:
  // Gives every rank what the others have drawn.
  void exchange();
  // What that sends, all ranks together.
  uint64_t bytes_drawn() const;

  // What one stage is fitted on.
  struct Drawn {
    size_t per_item = 0;
    std::vector<size_t>
        positions;                // of the items that it draws from, rising; none if it wants none
    std::vector<VectorSet> sets;  // by those
  };

  const SetSource& source_;
  std::vector<size_t> items_;
  std::vector<size_t> dims_;  // by item
  std::vector<Drawn> drawn_;  // by stage
  std::vector<ItemFailure> failures_;
  size_t extracted_dim_ = 0;
};

// The stream that a stage of a branch is fitted with: reducers are 0, 1, ..., the set feature or
// set kernel comes after them.
Rng stage_stream(const BranchPlan& plan, size_t stage, const Rng& branch_rng);

}  // namespace muster
