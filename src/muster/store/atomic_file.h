// Files appear whole or not at all: written under a temporary name beside the target, synced,
// renamed. A crash or a full disk leaves the old file, or none, under the final name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace muster {

// With several ranks (cluster/), which make the same files: who writes them. The others only seem
// to.
enum class WrittenBy { kFirstRank, kEveryRank };

// Parent directories are not created. Every failure is a run-time failure that names the target. A
// target that is a device or a pipe (/dev/null, /dev/stdout) is written directly; a symbolic link
// is followed. Not for use from several threads at once.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target, WrittenBy by = WrittenBy::kFirstRank);
  // Without commit() the temporary file is removed and the target stays as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Anywhere in the file, which grows to hold it. Requires seekable().
  void write_at(size_t offset, std::span<const std::byte> bytes);
  // False for a device or a pipe, and for what this rank does not write.
  bool seekable() const { return !temporary_.empty(); }
  // Syncs and renames; the target is complete once this returns.
  void commit();

 private:
  void open_temporary();
  void discard();
  [[noreturn]] void fail(const char* action, int error_number);

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty if the target is written directly
  int descriptor_ = -1;
};

// Whether the name is that of a temporary file which a killed process left behind.
bool is_leftover(const std::filesystem::path& path);

// Refuses, before any work, a file that cannot be written: its folder is missing, may not be
// written to, or it is a folder itself.
void check_output(const std::filesystem::path& target);

// Makes a folder and those above it, unless they are there; else a run-time failure that names it.
// With several ranks the first one does.
void make_folder(const std::filesystem::path& folder);

void write_file_atomically(const std::filesystem::path& target, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

}  // namespace muster
