#include "server/studio/class_folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "muster/muster.h"
#include "server/http.h"
#include "server/studio/names.h"

namespace muster::server {
namespace fs = std::filesystem;

namespace {

constexpr int kMostNumbers = 100'000;
constexpr size_t kMostUndo = 1000;

[[noreturn]] void fail(const std::string& what, int code) {
  if (code == ENOSPC || code == EDQUOT)
    throw HttpError(507, fmt::format("{}: the disk is full; make room and try again", what));
  throw HttpError(500, fmt::format("{}: {}", what, std::strerror(code)));
}

// A file whose content is on the disk when this returns.
void write_synced(const fs::path& file, std::string_view content) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(file.filename().string(), errno);
  int code = 0;
  while (!content.empty() && code == 0) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written >= 0)
      content.remove_prefix(static_cast<size_t>(written));
    else if (errno != EINTR)
      code = errno;
  }
  if (code == 0 && ::fsync(descriptor) != 0) code = errno;
  ::close(descriptor);
  if (code == 0) return;
  ::unlink(file.c_str());
  fail(file.filename().string(), code);
}

// 0, or why not; never onto something that is there.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems that do not know the flag.
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// Into the folder, under that name or a numbered one; gives the name.
std::string rename_into(const fs::path& from, const fs::path& folder, const std::string& name) {
  for (int number = 1; number < kMostNumbers; ++number) {
    std::string free = number == 1 ? name : numbered_name(name, number);
    const int code = rename_to_new(from, folder / free);
    if (code == 0) return free;
    if (code != EEXIST && code != ENOTEMPTY) fail(name, code);
  }
  throw HttpError(409, fmt::format("there are too many files of the name {}", name));
}

void require_class_folders(const fs::path& root) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kData,
                fmt::format("studio: {}: {}; give a folder of class folders, or a new name",
                            root.string(), why));
  };
  if (fs::exists(root) && !fs::is_directory(root)) refuse("it is not a folder");
  for (const char* other : {"labels.tsv", "JPEGImages", "PNGImages"})
    if (fs::exists(root / other))
      refuse(fmt::format("{} says that it is laid out differently", other));
  if (fs::is_directory(root / "train") && fs::is_directory(root / "test"))
    refuse("it is divided into train/ and test/");
}

// Regular files and folders, links followed, in the order of their names; hidden ones left out.
std::vector<fs::directory_entry> entries(const fs::path& folder) {
  std::vector<fs::directory_entry> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (!at->path().filename().string().starts_with('.')) out.push_back(*at);
  std::ranges::sort(out, {}, [](const auto& one) { return one.path().filename().string(); });
  return out;
}

}  // namespace

void write_whole(const fs::path& target, std::string_view content) {
  const fs::path temporary = target.string() + ".tmp";
  write_synced(temporary, content);
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail(target.filename().string(), errno);
}

ClassFolders::ClassFolders(fs::path root)
    : root_(fs::absolute(std::move(root)).lexically_normal()) {
  std::error_code error;
  require_class_folders(root_);
  fs::remove_all(kept("incoming"), error);  // of a studio that was killed
  fs::create_directories(kept("incoming"), error);
  if (!error) fs::create_directories(kept("removed"), error);
  lock_ = error ? -1 : ::open(kept("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw Error(ErrorKind::kRuntime,
                fmt::format("studio: {}: cannot be written: {}", root_.string(),
                            error ? error.message() : std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(lock_);
  throw Error(ErrorKind::kRuntime,
              fmt::format("studio: {}: another studio has it open; use that one, or end it",
                          root_.string()));
}

ClassFolders::~ClassFolders() { ::close(lock_); }

void ClassFolders::require_root() const {
  std::error_code error;
  if (!fs::is_directory(root_, error))
    throw HttpError(410,
                    fmt::format("the folder {} is gone; put it back, or start the studio again",
                                root_.string()));
  // The folder may have been put back without ours in it. One by one: should it be deleted right
  // now, it must not come back.
  const fs::path incoming = kept("incoming"), removed = kept("removed");
  for (const fs::path& folder : {incoming.parent_path(), incoming, removed})
    ::mkdir(folder.c_str(), 0755);
}

fs::path ClassFolders::class_path(const std::string& name) const {
  require_root();
  std::error_code error;
  if (!is_plain_name(name) || !fs::is_directory(root_ / name, error))
    throw HttpError(
        409,
        fmt::format("the class '{}' does not exist; it may have been renamed or removed", name));
  return root_ / name;
}

fs::path ClassFolders::path_of(const std::string& class_name, const std::string& file) const {
  const fs::path path = class_path(class_name) / file;
  std::error_code error;
  if (!is_plain_name(file) || !is_picture_name(file) || !fs::is_regular_file(path, error))
    throw HttpError(
        409,
        fmt::format("the picture '{}' does not exist in '{}'; it may have been moved or removed",
                    file, class_name));
  return path;
}

std::vector<PictureClass> ClassFolders::list() const {
  require_root();
  std::vector<PictureClass> out;
  std::error_code error;
  for (const fs::directory_entry& folder : entries(root_)) {
    if (!folder.is_directory(error)) continue;
    PictureClass one{folder.path().filename().string(), {}};
    for (const fs::directory_entry& file : entries(folder.path())) {
      std::string name = file.path().filename().string();
      struct stat status {};
      if (!is_picture_name(name) || ::stat(file.path().c_str(), &status) != 0 ||
          !S_ISREG(status.st_mode))
        continue;
      one.pictures.push_back({std::move(name), static_cast<uint64_t>(status.st_size),
                              status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
    }
    out.push_back(std::move(one));
  }
  return out;
}

void ClassFolders::add_class(const std::string& name) {
  check_class_name(name);
  const std::lock_guard lock(mutex_);
  require_root();
  if (::mkdir((root_ / name).c_str(), 0755) == 0) return;
  if (errno == EEXIST) throw HttpError(409, fmt::format("there is a '{}' already", name));
  fail(name, errno);
}

void ClassFolders::rename_class(const std::string& from, const std::string& to) {
  check_class_name(to);
  const std::lock_guard lock(mutex_);
  const int code = rename_to_new(class_path(from), root_ / to);
  if (code == EEXIST || code == ENOTEMPTY)
    throw HttpError(409, fmt::format("there is a '{}' already", to));
  if (code != 0) fail(to, code);
}

void ClassFolders::remove_class(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const fs::path removed = kept("removed");
  const std::string kept_as = rename_into(class_path(name), removed, name);
  removed_.push_back({removed / kept_as, name, ""});
  if (removed_.size() > kMostUndo) removed_.erase(removed_.begin());
}

std::string ClassFolders::add_picture(const std::string& class_name, const std::string& file,
                                      std::string_view content) {
  const std::lock_guard lock(mutex_);
  const fs::path folder = class_path(class_name);
  const fs::path incoming = kept("incoming") / "picture";
  write_synced(incoming, content);
  return rename_into(incoming, folder, file);
}

std::string ClassFolders::move_picture(const std::string& from, const std::string& file,
                                       const std::string& to) {
  const std::lock_guard lock(mutex_);
  const fs::path path = path_of(from, file), folder = class_path(to);
  return from == to ? file : rename_into(path, folder, file);
}

void ClassFolders::remove_picture(const std::string& class_name, const std::string& file) {
  const std::lock_guard lock(mutex_);
  const fs::path path = path_of(class_name, file), removed = kept("removed") / class_name;
  std::error_code error;
  fs::create_directories(removed, error);
  const std::string kept_as = rename_into(path, removed, file);
  removed_.push_back({removed / kept_as, class_name, file});
  if (removed_.size() > kMostUndo) removed_.erase(removed_.begin());
}

std::string ClassFolders::last_removed() const {
  const std::lock_guard lock(mutex_);
  if (removed_.empty()) return "";
  const Removed& last = removed_.back();
  return last.file.empty() ? last.class_name : last.class_name + "/" + last.file;
}

void ClassFolders::restore(const Removed& removed) {
  if (!removed.file.empty()) {
    std::error_code error;
    fs::create_directory(root_ / removed.class_name, error);
    rename_into(removed.where, root_ / removed.class_name, removed.file);
    return;
  }
  const int code = rename_to_new(removed.where, root_ / removed.class_name);
  if (code == EEXIST || code == ENOTEMPTY)
    throw HttpError(409, fmt::format("there is a '{}' again; rename it first", removed.class_name));
  if (code != 0) fail(removed.class_name, code);
}

std::string ClassFolders::undo() {
  std::string what = last_removed();
  const std::lock_guard lock(mutex_);
  require_root();
  if (removed_.empty()) throw HttpError(409, "there is nothing to bring back");
  restore(removed_.back());
  removed_.pop_back();
  return what;
}

}  // namespace muster::server
