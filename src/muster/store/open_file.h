// A regular file, opened for reading.
#pragma once

#include <cstddef>
#include <filesystem>

namespace muster {

// Closes itself. Anything but a regular file that may be read is a data error.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  size_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  size_t size_ = 0;
};

// Throws the data error for `path` that an error number of the system means.
[[noreturn]] void refuse_file(const std::filesystem::path& path, int error_number);

}  // namespace muster
