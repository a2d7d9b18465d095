// The studio's pictures: a folder with one folder per class, as `muster train` takes it. The files
// are the only state. Every change is one rename, of a file that is complete and on the disk, so
// that a crash leaves the folder as it was before or after it; what is removed goes to
// FOLDER/.studio/removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

struct Picture {
  std::string file;
  uint64_t bytes = 0;
  int64_t changed_ns = 0;  // when
  bool operator==(const Picture&) const = default;
};
struct PictureClass {
  std::string name;
  std::vector<Picture> pictures;  // sorted by name, as all lists are
  bool operator==(const PictureClass&) const = default;
};

// Thread-safe. What cannot be done throws an HttpError: 410 if the folder is gone, 409 if what is
// named is not there, or is there already, 507 if the disk is full.
class ClassFolders {
 public:
  // Makes the folder if there is none. Throws an Error for a folder that is laid out in another
  // way, that cannot be written, or that another studio has open.
  explicit ClassFolders(std::filesystem::path root);
  ~ClassFolders();
  ClassFolders(const ClassFolders&) = delete;
  ClassFolders& operator=(const ClassFolders&) = delete;

  const std::filesystem::path& root() const { return root_; }
  // For what the studio keeps beside the pictures.
  std::filesystem::path kept(const std::string& name) const { return root_ / ".studio" / name; }

  std::vector<PictureClass> list() const;
  std::filesystem::path path_of(const std::string& class_name, const std::string& file) const;

  void add_class(const std::string& name);
  void rename_class(const std::string& from, const std::string& to);
  void remove_class(const std::string& name);
  // These give the name of the file in its class: another one if the name is taken.
  std::string add_picture(const std::string& class_name, const std::string& file,
                          std::string_view content);
  std::string move_picture(const std::string& from, const std::string& file, const std::string& to);
  void remove_picture(const std::string& class_name, const std::string& file);

  // What undo() would bring back: "cats/1.png", or "cats"; "" for nothing.
  std::string last_removed() const;
  // Gives what it brought back.
  std::string undo();

 private:
  struct Removed {
    std::filesystem::path where;
    std::string class_name, file;  // "" for a class
  };
  void require_root() const;
  std::filesystem::path class_path(const std::string& name) const;
  void restore(const Removed& removed);

  const std::filesystem::path root_;
  int lock_ = -1;
  mutable std::mutex mutex_;  // of changes
  std::vector<Removed> removed_;
};

// Writes a file completely or not at all; 507 if the disk is full.
void write_whole(const std::filesystem::path& target, std::string_view content);

}  // namespace muster::server
