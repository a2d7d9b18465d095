#include "muster/store/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "muster/store/open_file.h"

namespace muster {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const OpenFile file(path);
  if (file.size() == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* data = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data == MAP_FAILED) refuse_file(path, errno);
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(data), file.size()}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace muster
