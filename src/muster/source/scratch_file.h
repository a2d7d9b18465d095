// Bytes that outgrow memory for a while: a file without a name in the folder for temporary files
// ($TMPDIR, else /var/tmp, which is on disk on every system). It is gone with the process, however
// that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

namespace muster {

// Thread-safe.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Where the bytes are now; nothing if there is no room for them, or no such file can be made.
  // After the first such answer nothing more is taken.
  std::optional<uint64_t> append(std::span<const std::byte> bytes);
  // Bytes that append() took; false if the disk does not give them back.
  bool read(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::mutex mutex_;
  int descriptor_;  // -1 if there is none
  uint64_t size_ = 0;
  bool full_ = false;
};

}  // namespace muster
