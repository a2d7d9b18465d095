#include "muster/source/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace muster {
namespace {

int open_nameless() {
  const char* chosen = std::getenv("TMPDIR");
  const std::string folder = chosen && *chosen ? chosen : "/var/tmp";
  const int without_name = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (without_name >= 0 || errno != EOPNOTSUPP) return without_name;
  // A file system that cannot do that: the name is taken away at once.
  std::string name = folder + "/muster-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile() : descriptor_(open_nameless()), full_(descriptor_ < 0) {}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<uint64_t> ScratchFile::append(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (full_) return std::nullopt;
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data() + written, bytes.size() - written,
                                   static_cast<off_t>(size_ + written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      full_ = true;
      return std::nullopt;
    }
    written += static_cast<size_t>(count);
  }
  const uint64_t offset = size_;
  size_ += bytes.size();
  return offset;
}

bool ScratchFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace muster
