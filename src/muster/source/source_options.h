// Where extracted features are kept. This header needs the standard library only: muster/muster.h
// is made of it.
#pragma once

#include <cstddef>
#include <filesystem>

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
  /// Memory for features, and for vector sets that were read from files; 0 keeps nothing there.
  std::size_t memory_bytes = std::size_t{4} << 30;
  CacheOptions disk = {};  ///< for features that outlast the process
  /// A folder that `muster extract` made of the same data, to take features from; pictures that are
  /// not there are extracted. Another feature stage than the method's is a usage error. Empty:
  /// none.
  std::filesystem::path features = {};
};

}  // namespace muster
