#include "muster/store/read_file.h"

#include <unistd.h>

#include <cerrno>

#include "muster/core/error.h"
#include "muster/store/open_file.h"

namespace muster {

std::vector<std::byte> read_file(const std::filesystem::path& path, size_t max_bytes) {
  const OpenFile file(path);
  if (file.size() > max_bytes)
    throw data_error("'{}': it has {} bytes, and {} are allowed", path.string(), file.size(),
                     max_bytes);
  std::vector<std::byte> bytes(file.size());
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::read(file.descriptor(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_file(path, errno);
    if (count == 0)
      throw data_error("'{}': it was cut short while it was being read; run again", path.string());
    done += static_cast<size_t>(count);
  }
  return bytes;
}

}  // namespace muster
