// The models that are served. Each is held in memory as a whole and exchanged at once when its file
// has changed: requests that began with the old one end with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster::server {

// A model as it was when it was loaded.
struct ServedModel {
  std::string name;  // the file's, without its extension
  Model model;
  ModelInfo info;

  // On the calling thread only: requests are what runs in parallel.
  std::vector<Answer> predict(Inputs items, std::stop_token stop) const {
    RunOptions options;
    options.threads = 1;
    options.cancel = std::move(stop);
    return model.predict(items, options);
  }
};

class Models {
 public:
  // What a look at a model's file led to.
  struct Change {
    std::string name, path;
    std::string error;  // "" if the file was loaded; else the old model stays
  };

  // Loads all of them. A file that cannot be loaded, and two of one name, throw.
  explicit Models(const std::vector<std::filesystem::path>& files);

  // None for an unknown name. "" finds the only model, and none if there are several.
  std::shared_ptr<const ServedModel> find(const std::string& name) const;
  // In the order of the files.
  std::vector<std::shared_ptr<const ServedModel>> all() const;
  std::vector<std::string> names() const;

  // Loads those whose file has changed since the last look, or all of them. To be called by one
  // thread.
  std::vector<Change> reload(bool all_of_them = false);

 private:
  // Time, size and number of a file: another one means other content.
  struct Stamp {
    int64_t seconds = 0, nanoseconds = 0;
    uint64_t bytes = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Slot {
    std::filesystem::path file;
    Stamp stamp;
    std::shared_ptr<const ServedModel> model;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  mutable std::mutex mutex_;  // of Slot::model; the rest is the reloading thread's
  std::vector<Slot> slots_;
};

}  // namespace muster::server
