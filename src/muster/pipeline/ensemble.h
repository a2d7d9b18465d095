// What a model file holds: one pipeline, or several whose probabilities are averaged (score fusion,
// UGM 4.1), each with its own features and method. Immutable; thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "muster/pipeline/pipeline.h"
#include "muster/pipeline/typicality.h"

namespace muster {

// Of some items, one row each.
struct Predictions {
  Matrix<double> scores;         // of a fused model the probabilities
  Matrix<double> probabilities;  // as Classifier::probabilities gives them
  // Per item: the share of known items that are less like the classes, the members' mean. By
  // ClassMixtures::typicality of the member's likelihood ratio if it has class mixtures, else by
  // FitStatistics::typicality of its best score; empty if a member has neither.
  std::vector<double> typicality;
  TypicalityBy typicality_by = TypicalityBy::kBestScore;  // both: some members so, some so
};

// Larger weights would add up to infinity, which leaves no probabilities.
inline constexpr double kLargestFusionWeight = 1e9;

class Ensemble {
 public:
  explicit Ensemble(Pipeline pipeline);
  // p(class) = sum_m w_m p_m(class) / sum_m w_m, in the first one's order of classes. Members that
  // differ in their classes, or in how many labels an item may have, are a data error; `names` are
  // theirs in messages. Requires two members or more and a positive weight each.
  static Ensemble fuse(std::vector<Pipeline> members, std::vector<double> weights,
                       const std::vector<std::string>& names);

  bool fused() const { return members_.size() > 1; }
  const std::vector<Pipeline>& members() const { return members_; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<std::string>& class_names() const { return members_[0].class_names(); }
  bool multi_label() const { return members_[0].multi_label(); }
  // Of all members: what must be read of an item.
  std::vector<BranchPlan> branches() const;

  // How they want pictures extracted, each once; null for vector sets.
  std::vector<const Extraction*> extractions() const;

  // Every item must be readable. A picture for a model of vector sets, or the other way round, is a
  // data error that names it.
  Predictions predict(const SetSource& source, std::span<const size_t> items,
                      const Progress& progress) const;
  // Throws that error.
  void check_kinds(const SetSource& source, std::span<const size_t> items) const;

  // As named arrays, which depend on the model alone. One pipeline is saved as Pipeline::save does.
  TensorMap tensors() const;
  // `file` is for messages.
  static Ensemble load(const std::shared_ptr<const TensorMap>& map, const std::string& file);
  // The same in a file, which appears whole or not at all.
  void save(const std::filesystem::path& path) const;
  static Ensemble load(const std::filesystem::path& path);

 private:
  Ensemble(std::vector<Pipeline> members, std::vector<double> weights);
  std::vector<double> typicality(size_t member, const ItemScores& scores) const;
  Predictions combine(const std::vector<ItemScores>& scores_by_member) const;

  std::vector<Pipeline> members_;
  std::vector<double> weights_;
  std::vector<std::vector<size_t>> columns_;  // of each member, in the order of class_names()
};

}  // namespace muster
