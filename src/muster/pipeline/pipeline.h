// A fitted method: from an item's set to scores. fit_pipeline returns a value; a Pipeline is
// immutable, shareable between threads and saves and loads itself bit for bit.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/mixture/class_mixtures.h"
#include "muster/pipeline/item_source.h"
#include "muster/pipeline/plan.h"

namespace muster {

// One branch of a recipe: set -> reduced set -> vector or representation.
struct FittedBranch {
  size_t input_dim = 0;
  std::vector<std::shared_ptr<const Reducer>> reducers;
  std::shared_ptr<const SetFeature> feature;  // where the branch gives vectors
  std::shared_ptr<const SetKernel> kernel;    // where it gives a kernel
  // Brings branches to one scale: of vectors 1 / root mean squared norm, of kernels 1 / mean
  // diagonal. 1 for a branch alone.
  double scale = 1;
  // Kernels: the training sets that test sets are compared with.
  Represented training;

  VectorSet reduce(VectorSet set) const;
};

// What add_classes needs of the items that a pipeline was trained on.
struct KeptTraining {
  Labels labels;
  Matrix<float> vectors;  // before a classifier on vectors; kernels keep theirs in the branches
  Matrix<double> gram;    // of the branches' training sets, scaled and summed; may be empty
};

// Wall-clock seconds by what they were spent on: "fit" (reductions, vocabularies), "encode",
// "classifier".
using StageSeconds = std::map<std::string, double>;

class Pipeline {
 public:
  Pipeline(Plan plan, std::vector<FittedBranch> branches,
           std::shared_ptr<const Classifier> classifier, std::vector<std::string> class_names,
           bool multi_label, uint64_t seed, std::shared_ptr<const KeptTraining> training = nullptr,
           std::shared_ptr<const ClassMixtures> class_mixtures = nullptr);

  const Plan& plan() const { return plan_; }
  const std::vector<std::string>& class_names() const { return class_names_; }
  bool multi_label() const { return multi_label_; }
  uint64_t seed() const { return seed_; }
  const Classifier& classifier() const { return *classifier_; }
  const std::vector<FittedBranch>& branches() const { return branches_; }
  // Null where nothing was kept.
  const KeptTraining* training() const { return training_.get(); }
  // Null where they were not asked for.
  const ClassMixtures* class_mixtures() const { return class_mixtures_.get(); }

  // items x classes. Every item must be readable (ItemSource::prepare says which are).
  Matrix<double> scores(const ItemSource& source, std::span<const size_t> items,
                        const Progress& progress) const;
  // One row of scores from the item's unreduced sets, one a branch.
  Matrix<double> scores(const std::vector<VectorSet>& set_of_branch) const;
  // ClassMixtures::score of the same. Requires class mixtures.
  std::vector<double> likelihood_ratios(const ItemSource& source, std::span<const size_t> items,
                                        const Progress& progress) const;
  double likelihood_ratio(const std::vector<VectorSet>& set_of_branch) const;

  // Atomic; the bytes depend on the model alone.
  void save(const std::filesystem::path& path) const;
  static Pipeline load(const std::filesystem::path& path);
  // The same as a part of another file; `file` is for messages.
  void save(const TensorWriter& out) const;
  static Pipeline load(const TensorReader& in, const std::string& file);

 private:
  Plan plan_;
  std::vector<FittedBranch> branches_;
  std::shared_ptr<const Classifier> classifier_;
  std::vector<std::string> class_names_;
  bool multi_label_;
  uint64_t seed_;
  std::shared_ptr<const KeptTraining> training_;
  std::shared_ptr<const ClassMixtures> class_mixtures_;
};

struct UniversalFile;

struct FitExtras {
  StageSeconds* seconds = nullptr;  // gets the time of each stage
  // A kernel machine keeps the training sets in any case, and their labels with them; this keeps
  // their kernel matrix as well, and the training vectors of the others.
  bool keep_training = false;
  // Where given, holds all of the recipe's only branch that is learnt.
  const UniversalFile* universal = nullptr;
  // Adapts the recipe's universal mixture to every class, so that the model can say what is none of
  // them. A usage error where require_universal_stage() says so.
  bool class_mixtures = false;
};

// Fits every stage in turn on the items given, all of which must be readable and labelled.
Pipeline fit_pipeline(const Plan& plan, const ItemSource& source, std::span<const size_t> items,
                      const Labels& labels_of_items, uint64_t seed, const Progress& progress,
                      const FitExtras& extras = {});

// Without a classifier: what `muster encode` and `muster gram` use. `training_vectors`, unless
// null, gets what encode_items would give for the items if fitting had to encode them
// (standardise), and else becomes empty.
FittedBranch fit_branch(const BranchPlan& plan, const ItemSource& source,
                        std::span<const size_t> items, const Labels& labels_of_items, Rng rng,
                        const Progress& progress, const UniversalFile* universal = nullptr,
                        Matrix<float>* training_vectors = nullptr);
// One vector an item from all branches, each brought to its scale: what the classifier takes.
Matrix<float> encode_items(std::span<const FittedBranch> branches, const Plan& plan,
                           const ItemSource& source, std::span<const size_t> items,
                           const Progress& progress);
Matrix<float> encode_items(const FittedBranch& branch, const BranchPlan& plan,
                           const ItemSource& source, std::span<const size_t> items,
                           const Progress& progress);
Represented represent_items(const FittedBranch& branch, const BranchPlan& plan,
                            const ItemSource& source, std::span<const size_t> items,
                            const Progress& progress);
// Calls encode(number in `items`, reduced set) for each of the items, over threads. An error names
// the item.
void over_items(const FittedBranch& branch, const BranchPlan& plan, const ItemSource& source,
                std::span<const size_t> items, const Progress& progress,
                const std::function<void(size_t i, const VectorSet& set)>& encode);

}  // namespace muster
