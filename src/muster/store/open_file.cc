#include "muster/store/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "muster/core/error.h"

namespace muster {

void refuse_file(const std::filesystem::path& path, int error_number) {
  throw data_error("cannot read '{}': {}; check that the file exists and may be read",
                   path.string(), std::generic_category().message(error_number));
}

OpenFile::OpenFile(const std::filesystem::path& path)
    // O_NONBLOCK, so that a pipe in the place of a file is refused below instead of waited for.
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) refuse_file(path, errno);
  struct stat status {};
  const int failed = ::fstat(descriptor_, &status) != 0 ? errno : 0;
  const bool regular = failed == 0 && S_ISREG(status.st_mode);
  if (regular) {
    size_ = static_cast<size_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (failed != 0) refuse_file(path, failed);
  throw data_error("cannot read '{}': not a regular file", path.string());
}

OpenFile::~OpenFile() { ::close(descriptor_); }

}  // namespace muster
