// Items become sets: pictures are decoded and go through an extractor, vector sets are read as they
// are. What fits into the cache is kept at rest (half precision for extracted features, rounded
// alike whether it is kept or made anew), so that fitting, encoding and several methods share one
// extraction.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/progress.h"
#include "muster/core/vector_set.h"
#include "muster/dataset/dataset.h"
#include "muster/pipeline/feature_cache.h"
#include "muster/pipeline/plan.h"
#include "muster/store/feature_shards.h"

namespace muster {

struct ItemFailure {
  size_t item;
  std::string reason;
};

// Thread-safe.
class ItemSource {
 public:
  // `dataset` must outlive the source.
  explicit ItemSource(const Dataset& dataset, size_t cache_bytes = size_t{4} << 30);
  ~ItemSource();

  // From now on takes the features of pictures from this folder of shards (`muster extract`); items
  // that are not there are extracted. An extractor other than the one that made them is then a
  // usage error. Call it before anything is loaded.
  void use_features(const std::filesystem::path& folder);
  // From now on prepare() keeps the features of pictures in this cache on disk and load() takes
  // them from there. Call it before anything is loaded.
  void use_cache(CacheOptions options);

  const Dataset& dataset() const { return dataset_; }
  // The set of an item, before any reduction. `extractor` is ignored for vector sets; pictures
  // without one are a usage error. An item that cannot be read is a data error.
  VectorSet load(const std::optional<PlannedStage>& extractor, size_t item) const;
  // Loads items into the cache (on disk where there is one, else in memory), over threads; returns
  // those that cannot be read, in order.
  std::vector<ItemFailure> prepare(const std::optional<PlannedStage>& extractor,
                                   std::span<const size_t> items, const Progress& progress) const;

 private:
  struct Cache;
  struct KeyedExtractor;

  KeyedExtractor& extractor_for(const PlannedStage& stage) const;
  std::vector<ItemFailure> fill_disk(KeyedExtractor& keyed, std::span<const size_t> items,
                                     const Progress& progress) const;

  const Dataset& dataset_;
  std::unique_ptr<Cache> cache_;
  std::optional<FeatureStore> features_;
  std::optional<FeatureCache> disk_;
  mutable std::mutex extractors_mutex_;
  mutable std::map<std::string, std::unique_ptr<KeyedExtractor>> extractors_;
};

// The features of one picture or the vectors of one file, as ItemSource gives them, without a
// dataset.
VectorSet load_item(const std::filesystem::path& path, ItemKind kind,
                    const std::optional<PlannedStage>& extractor);

}  // namespace muster
