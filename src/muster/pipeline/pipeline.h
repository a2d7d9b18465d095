// A fitted method: from an item's set to scores. fit_pipeline (fit.h) returns one; it is immutable,
// shareable between threads, and saves and loads itself bit for bit.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/mixture/class_mixtures.h"
#include "muster/pipeline/branch.h"
#include "muster/pipeline/choice.h"

namespace muster {

// What add_classes needs of the items that a pipeline was trained on.
struct KeptTraining {
  Labels labels;
  std::vector<std::string> names;  // of the items; empty in a model from before 0.2.0
  Matrix<float> vectors;  // before a classifier on vectors; kernels keep theirs in the branches
  Matrix<double> gram;    // of the branches' training sets, scaled and summed; may be empty
};

// Wall-clock seconds by what they were spent on: "features" (if they were not prepared before),
// "fit" (reductions, vocabularies), "encode", "classifier"; of Pipeline::score, in CPU seconds of
// all threads, "test_encode" and "test_classify" (kernel values and scores; part of "test_encode"
// if items are too many for their vectors to be kept).
using StageSeconds = std::map<std::string, double>;

// A row of scores per item, one column per class, and, with class mixtures, ClassMixtures::score.
struct ItemScores {
  Matrix<double> scores;
  std::vector<double> likelihood_ratios;
};

// Training data of a loaded model that is read when it is first asked for.
class LazyTraining;

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
  // Null if nothing was kept. Of a loaded model read at the first call, which is when what does not
  // fit together in it is a data error.
  const KeptTraining* training() const;
  // Null if they were not asked for.
  const ClassMixtures* class_mixtures() const { return class_mixtures_.get(); }

  // How its recipe was chosen; null if it was given.
  const Choice* choice() const { return choice_.get(); }
  void set_choice(Choice choice) { choice_ = std::make_shared<const Choice>(std::move(choice)); }

  // Every item must be readable.
  ItemScores score(const SetSource& source, std::span<const size_t> items, const Progress& progress,
                   StageSeconds* seconds = nullptr) const;

  // What a classifier on kernel values takes: one row per item, one column per training item.
  Matrix<double> kernel_rows(const SetSource& source, std::span<const size_t> items,
                             const Progress& progress, const AlsoPerItem& also = {},
                             StageSeconds* seconds = nullptr) const;

  // Atomic; the bytes depend on the model alone.
  void save(const std::filesystem::path& path) const;
  static Pipeline load(const std::filesystem::path& path);
  // The same as a part of another file: its arrays under a prefix. `file` is for messages.
  void save(const TensorWriter& out) const;
  static Pipeline load(std::shared_ptr<const TensorMap> map, const std::string& prefix,
                       const std::string& file);

 private:
  // With training data that are read when they are asked for.
  Pipeline(Plan plan, std::vector<FittedBranch> branches,
           std::shared_ptr<const Classifier> classifier, std::vector<std::string> class_names,
           bool multi_label, uint64_t seed, std::shared_ptr<LazyTraining> training,
           std::shared_ptr<const ClassMixtures> class_mixtures);

  Plan plan_;
  std::vector<FittedBranch> branches_;
  std::shared_ptr<const Classifier> classifier_;
  std::vector<std::string> class_names_;
  bool multi_label_;
  uint64_t seed_;
  std::shared_ptr<LazyTraining> training_;
  std::shared_ptr<const ClassMixtures> class_mixtures_;
  std::shared_ptr<const Choice> choice_;
};

}  // namespace muster
