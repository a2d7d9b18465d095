// Where extracted features are kept. This header needs the standard library only: muster/muster.h
// is made of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace muster {

/// Features of pictures on disk, shared by methods, runs and processes.
struct CacheOptions {
  /// Made if it is missing; empty for no cache on disk.
  std::filesystem::path folder = {};
  /// The longest unused features are removed when there are more.
  std::size_t max_bytes = std::size_t{16} << 30;
};

/// How the features of pictures are kept between the passes over them.
struct SourceOptions {
  /// Memory to keep to, half of which is for features and for vector sets that were read from
  /// files. Features that do not fit are kept in a temporary file; 0 keeps nothing at all. If not
  /// given: a quarter of the machine's memory, and 2 GiB at most.
  std::optional<std::size_t> memory_bytes = {};
  CacheOptions disk = {};  ///< for features that outlast the process
  /// A folder that `muster extract` made of the same data, to take features from; pictures that are
  /// not there are extracted. Another feature stage than the method's is a usage error. Empty:
  /// none.
  std::filesystem::path features = {};
};

}  // namespace muster
