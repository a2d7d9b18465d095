// A file's bytes without copying them: mapped read-only, pages are read when touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace muster {

// Immutable, so shareable between threads. For files that only muster writes, such as feature
// shards: these are replaced by renaming, which leaves an open mapping intact. A file that is cut
// short while it is mapped ends the process, so others are read (read_file.h).
class MappedFile {
 public:
  // An absent, unreadable or irregular file is a data error.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace muster
