// The vectors of one item, as the model takes them, and the item with some of them left out.
#pragma once

#include <string>
#include <vector>

#include "muster/pipeline/ensemble.h"

namespace muster {

// One set per feature that the model extracts (of a vector set, the set itself). Vectors are
// numbered through all sets, in their order.
class ItemVectors {
 public:
  // Throws as Ensemble::predict does of an item that cannot be read or is of the other kind.
  ItemVectors(const Ensemble& ensemble, const SetSource& source, size_t item);

  const std::string& name() const { return name_; }
  ItemKind kind() const { return kind_; }
  size_t size() const { return begins_.back(); }
  size_t num_features() const { return sets_.size(); }
  // The feature stage with every option spelt out; empty for a vector set.
  const std::string& feature_name(size_t feature) const { return specs_[feature]; }
  const VectorSet& set(size_t feature) const { return sets_[feature]; }
  // The number of the first vector of a set; that of feature num_features() is size().
  size_t begin(size_t feature) const { return begins_[feature]; }
  size_t feature_of(const Extraction* extraction) const;
  // Whether all sets have places.
  bool has_places() const;

 private:
  std::string name_;
  ItemKind kind_;
  std::vector<std::string> specs_;
  std::vector<VectorSet> sets_;
  std::vector<size_t> begins_;
};

// By number of the vector: whether it takes part.
using Kept = std::vector<bool>;

// The item once for each choice of vectors. Both must outlive the source.
class KeptVectorsSource final : public SetSource {
 public:
  KeptVectorsSource(const ItemVectors& vectors, std::span<const Kept> choices)
      : vectors_(vectors), choices_(choices) {}

  size_t size() const override { return choices_.size(); }
  std::string name(size_t) const override { return vectors_.name(); }
  ItemKind kind(size_t) const override { return vectors_.kind(); }
  VectorSet load(const Extraction* extraction, size_t item) const override;

 private:
  const ItemVectors& vectors_;
  std::span<const Kept> choices_;
};

}  // namespace muster
