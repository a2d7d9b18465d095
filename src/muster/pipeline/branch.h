// One fitted branch of a recipe: set -> reduced set -> vector or representation, and the passes
// over items that use it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "muster/cluster/shared_for.h"
#include "muster/recipe/plan.h"
#include "muster/source/set_source.h"

namespace muster {

// Immutable once it is fitted; shareable between threads.
struct FittedBranch {
  std::shared_ptr<const Extraction> extraction;  // null for vector sets
  size_t input_dim = 0;
  std::vector<std::shared_ptr<const Reducer>> reducers;
  std::shared_ptr<const SetFeature> feature;  // if the branch gives vectors
  std::shared_ptr<const SetKernel> kernel;    // if it gives a kernel
  // Brings branches to one scale: of vectors 1 / root mean squared norm, of kernels 1 / mean
  // diagonal. 1 for a branch alone.
  double scale = 1;
  // Kernels: the training sets that test sets are compared with.
  Represented training;

  VectorSet reduce(VectorSet set) const;
};

// Calls encode(position in `items`, reduced set) for each of the items, over threads and ranks. An
// error names the item. What it writes for each item are the `rows`: all ranks get all of them.
using EncodeItem = std::function<void(size_t i, const VectorSet& set)>;
void over_items(const FittedBranch& branch, const SetSource& source, std::span<const size_t> items,
                const Progress& progress, const EncodeItem& encode,
                const std::vector<SharedRows>& rows);

// What else such a pass is to do with each reduced set, if anything.
struct AlsoPerItem {
  EncodeItem call = {};
  std::vector<SharedRows> rows = {};
};

// One vector per item.
Matrix<float> encode_items(const FittedBranch& branch, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const AlsoPerItem& also = {});
// From all branches, each brought to its scale: what the classifier takes.
Matrix<float> encode_items(std::span<const FittedBranch> branches, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const AlsoPerItem& also = {});
Represented represent_items(const FittedBranch& branch, const SetSource& source,
                            std::span<const size_t> items, const Progress& progress,
                            const AlsoPerItem& also = {});

// Side by side, the part of each branch times its scale.
Matrix<float> join_parts(std::vector<Matrix<float>> parts, std::span<const FittedBranch> branches);

// A branch that stops at a set feature takes part in a kernel machine by its dot product.
void give_kernel(FittedBranch& branch);

// The branch as named arrays. `input_dim` is the width of the vectors that it begins with, which a
// stage that keeps no arrays needs to know; `on_vectors` says whether it ends in its set feature.
void save_branch(const FittedBranch& branch, const TensorWriter& out);
FittedBranch load_branch(const BranchPlan& plan, bool on_vectors, size_t input_dim,
                         const TensorReader& in);

// Stages know sets, not files: an error that `body` throws gets the item's name.
void naming_item(const SetSource& source, size_t item, const std::function<void()>& body);

}  // namespace muster
