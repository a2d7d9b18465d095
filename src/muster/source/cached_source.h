// A cache in front of any source, so that fitting, encoding and several methods share one
// extraction of each picture: in memory while there is room and then in a temporary file, on disk
// if a folder is given, or from a folder that `muster extract` made.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "muster/source/dataset_source.h"
#include "muster/source/feature_cache.h"
#include "muster/store/feature_shards.h"

namespace muster {

class CachedSource : public SetSource {
 public:
  explicit CachedSource(std::unique_ptr<const SetSource> base, SourceOptions options = {});
  // `dataset` must outlive the source.
  explicit CachedSource(const Dataset& dataset, SourceOptions options = {})
      : CachedSource(std::make_unique<DatasetSource>(dataset), std::move(options)) {}
  ~CachedSource() override;

  size_t size() const override { return base_->size(); }
  std::string name(size_t item) const override { return base_->name(item); }
  ItemKind kind(size_t item) const override { return base_->kind(item); }
  VectorSet load(const Extraction* extraction, size_t item) const override;
  std::string root() const override { return base_->root(); }
  std::string stamp(size_t item) const override { return base_->stamp(item); }
  bool in_memory(size_t item) const override { return base_->in_memory(item); }

 protected:
  // Fills the cache: on disk if there is one, else in memory.
  std::vector<ItemFailure> visit_here(const Extraction* extraction, std::span<const size_t> items,
                                      const Body& body, const Progress& progress) const override;

 private:
  class Memory;
  // What is known by the text of one feature stage.
  struct Stage;

  Stage& stage_of(const Extraction& extraction) const;
  VectorSet load_set(size_t item) const;
  std::optional<VectorSet> find_stored(const Stage& stage, const std::string& spec,
                                       size_t item) const;

  std::unique_ptr<const SetSource> base_;
  std::unique_ptr<Memory> memory_;
  std::optional<FeatureStore> features_;
  std::optional<FeatureCache> disk_;
  mutable std::mutex stages_mutex_;
  mutable std::map<std::string, std::unique_ptr<Stage>> stages_;
};

}  // namespace muster
