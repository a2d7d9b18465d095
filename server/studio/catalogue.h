// What is known of the pictures in the class folders: which cannot be read, and which are the same.
// A thread of its own looks at each file once, and at the folders every second, so that changes by
// others are seen.
#pragma once

#include <condition_variable>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "server/service.h"
#include "server/studio/class_folders.h"

namespace muster::server {

class Catalogue {
 public:
  // Pictures of more pixels than the limit count as unreadable.
  Catalogue(const ClassFolders& folders, const ServiceOptions& limits);
  ~Catalogue();

  struct Known {
    uint64_t fingerprint = 0;  // the same for the same bytes
    std::string problem;       // why it cannot be read; "" if it can
  };
  struct Snapshot {
    uint64_t revision = 0;  // grows with every change
    size_t unchecked = 0;
    std::vector<PictureClass> classes;
    std::map<std::string, Known> known;                    // by "class/file"
    std::map<std::string, std::vector<std::string>> same;  // "class/file" of others
  };
  // Throws 410 if the folder is gone.
  Snapshot snapshot();

  // 0 while the folder is gone.
  uint64_t revision() const;
  // After a change by the studio: the thread looks at once.
  void changed();
  // The file of a class that has exactly this content, if one is known.
  std::optional<std::string> find(const std::string& class_name, std::string_view content);

 private:
  struct Entry {
    Picture picture;  // as it was when it was looked at
    Known known;
  };
  void watch(std::stop_token stop);
  // Looks at the folders; true if there are files that were not looked at.
  bool scan();
  void check_next();

  const ClassFolders& folders_;
  const ServiceOptions limits_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  bool look_now_ = false;
  uint64_t revision_ = 1;
  bool gone_ = false;
  std::vector<PictureClass> classes_;
  std::map<std::string, Entry> entries_;  // by "class/file"
  std::map<std::string, Picture> unchecked_;
  std::jthread watcher_;
};

// A number that stands for the bytes.
uint64_t fingerprint_of(std::string_view content);
// The whole file; empty if it cannot be read.
std::string read_whole(const std::filesystem::path& file);

}  // namespace muster::server
