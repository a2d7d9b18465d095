// Extracted features on disk, shared by methods, runs and processes: a folder of entries, one for
// each pair of a feature stage (with every option) and a root of file names. An entry is a folder
// of shards (store/feature_shards.h); its items are named by file name, size and time of change, so
// a picture that changed is extracted again.
//
// Bounded: entries that were not used for longest go first; if nothing is left to go, what does not
// fit is not kept. Safe under several processes: an entry has one writer at a time, the others
// wait for it and then find its features there; an entry may be removed while it is read (it stays
// mapped).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/core/progress.h"
#include "muster/source/set_source.h"
#include "muster/source/source_options.h"
#include "muster/store/feature_shards.h"

namespace muster {

// Immutable; thread-safe.
class FeatureCache {
 public:
  explicit FeatureCache(CacheOptions options) : options_(std::move(options)) {}

  // Makes the features of one item; throws a data error if it cannot be read.
  using Extract = std::function<VectorSet(size_t item)>;

  // Extracts those of the items that are not there yet, over threads, and opens the entry. The
  // items must be files, which the source names by their stamps. `stage` is the feature stage with
  // every option spelled out. Null if nothing could be kept. Calls `progress` while it waits for
  // another process, which is where an interruption ends it.
  std::shared_ptr<const FeatureStore> fill(const SetSource& source, const std::string& stage,
                                           std::span<const size_t> items, const Extract& extract,
                                           const Progress& progress,
                                           std::vector<ItemFailure>& failures) const;

 private:
  CacheOptions options_;
};

}  // namespace muster
