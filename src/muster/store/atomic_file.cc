#include "muster/store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "muster/cluster/world.h"
#include "muster/core/error.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

const char* advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or write elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a folder you may write to";
    case ENOENT:
    case ENOTDIR:
      return "; its folder does not exist: create it first";
    default:
      return "";
  }
}

// Makes the rename itself durable. Some file systems cannot sync a directory; the file is whole
// anyway.
void sync_directory(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

fs::path parent_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target, WrittenBy by)
    : target_(by == WrittenBy::kEveryRank || on_first_rank() ? target : "/dev/null") {
  std::error_code ignored;
  if (fs::is_symlink(target_, ignored)) {
    const fs::path resolved = fs::weakly_canonical(target_, ignored);
    if (!ignored) target_ = resolved;
  }
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status) || target_.filename().empty() || target_.empty())
    throw runtime_failure("cannot write '{}': it is a directory; name a file inside it",
                          target.string());
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    open_temporary();
    // What replaces a file may be read by whoever could read it before, and by nobody else. File
    // systems without permissions refuse, and have none to lose.
    if (fs::exists(status)) ::fchmod(descriptor_, static_cast<mode_t>(status.permissions()));
    return;
  }
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("open", errno);
}

bool is_leftover(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(".muster-") && name.ends_with(".tmp");
}

void AtomicFile::open_temporary() {
  // The name is short, so that a target with a name of the longest length can still be written;
  // hidden, so that a leftover of a killed process is taken for nobody's data.
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = parent_of(target_) / fmt::format(".muster-{}-{}.tmp", ::getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      const int error_number = errno;
      temporary_.clear();
      fail("create", error_number);
    }
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(const char* action, int error_number) {
  discard();
  throw runtime_failure("cannot write '{}': {} failed: {}{}", target_.string(), action,
                        std::generic_category().message(error_number), advice(error_number));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  MUSTER_CHECK(descriptor_ >= 0);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::write_at(size_t offset, std::span<const std::byte> bytes) {
  MUSTER_CHECK(descriptor_ >= 0 && seekable());
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  MUSTER_CHECK(descriptor_ >= 0);
  // A device or pipe has nothing to sync, and says so.
  if (::fsync(descriptor_) != 0 && !temporary_.empty()) fail("sync", errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("close", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename", errno);
  temporary_.clear();
  sync_directory(parent_of(target_));
}

void check_output(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown))
    throw runtime_failure("{}: the folder {} does not exist; make it first", path.string(),
                          folder.string());
  if (fs::is_directory(path, unknown))
    throw runtime_failure("{}: it is a folder; name a file", path.string());
  if (access(folder.c_str(), W_OK) != 0)
    throw runtime_failure("{}: the folder {} cannot be written to", path.string(), folder.string());
}

void make_folder(const fs::path& folder) {
  if (!on_first_rank()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    throw runtime_failure("{}: the folder cannot be made: {}", folder.string(),
                          error ? error.message() : "there is a file of that name");
}

void write_file_atomically(const fs::path& target, std::span<const std::byte> bytes) {
  AtomicFile file(target);
  file.write(bytes);
  file.commit();
}

void write_file_atomically(const fs::path& target, std::string_view text) {
  write_file_atomically(target, std::as_bytes(std::span(text)));
}

}  // namespace muster
