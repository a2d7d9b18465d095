// Local features at rest: a folder of safetensors shards, each holding the sets of some items,
// vectors in half precision (docs/file-format.md). Shards are only ever added, each atomically, so
// that an interrupted extraction goes on where it stopped.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"

namespace muster {

// What a set becomes by being stored and loaded: vectors rounded to half precision, unless one of
// its values is beyond the range of half (|x| > 65504), in which case the set is kept as it is. A
// run without a cache that rounds its sets gives the same bytes as one with a cache.
VectorSet round_to_half(VectorSet set);

// Text entries that all shards of a folder share, such as the recipe.
using FeatureMetadata = std::map<std::string, std::string>;

inline constexpr size_t kShardBytes = size_t{64} << 20;

// Reads a folder of shards. Immutable and thread-safe; memory-mapped, so that load() reads what it
// needs.
class FeatureStore {
 public:
  // Verifies every shard; a damaged one is a data error that names it.
  static FeatureStore open(const std::filesystem::path& directory);

  size_t size() const { return names_.size(); }
  // In the order in which they were added.
  const std::vector<std::string>& names() const { return names_; }
  const FeatureMetadata& metadata() const { return metadata_; }
  std::optional<size_t> find(const std::string& name) const;
  bool has(const std::string& name) const { return find(name).has_value(); }
  VectorSet load(size_t item) const;

 private:
  struct Shard;
  struct Place {
    std::shared_ptr<const Shard> shard;
    size_t index;
  };
  void add_shard(const std::filesystem::path& file);

  FeatureMetadata metadata_;
  std::vector<std::string> names_;
  std::vector<Place> places_;
  std::unordered_map<std::string, size_t> index_;
};

// Writes, or goes on writing, a folder of shards. For one thread. While it lives no other writer
// can open the folder. Sets since the last full shard are lost unless finish() is called.
class FeatureWriter {
 public:
  // Creates the folder (not its parents). A folder that was written with other metadata is refused.
  FeatureWriter(const std::filesystem::path& directory, FeatureMetadata metadata,
                size_t shard_bytes = kShardBytes);
  ~FeatureWriter();
  FeatureWriter(const FeatureWriter&) = delete;
  FeatureWriter& operator=(const FeatureWriter&) = delete;

  bool has(const std::string& name) const;
  // Does nothing for an item that is there already.
  void add(const std::string& name, const VectorSet& set);
  // Writes what is left; more can be added afterwards.
  void finish();

 private:
  struct Pending;
  class Lock;

  std::filesystem::path directory_;
  FeatureMetadata metadata_;
  size_t shard_bytes_;
  size_t next_shard_ = 0;
  std::unique_ptr<Lock> lock_;
  std::unordered_set<std::string> known_;
  std::unique_ptr<Pending> pending_;
};

}  // namespace muster
