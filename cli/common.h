// What several commands share: global flags, methods and recipes, messages, the data they open.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/parallel.h"
#include "muster/core/progress.h"
#include "muster/dataset/dataset.h"
#include "muster/pipeline/item_source.h"
#include "muster/pipeline/plan.h"

namespace muster::cli {

inline constexpr uint64_t kDefaultSeed = 1;
// What `muster train` takes where no method is named, and `muster inspect` advises. Vectors of
// unknown dimension and scale get a method that asks nothing of them but a width found by
// cross-validation.
inline constexpr const char* kDefaultMethod = "fisher";
inline constexpr const char* kDefaultMethodForSets = "emk-fourier:gamma=auto/linear-svm";

inline constexpr const char* kFeaturesHelp =
    "folder made by muster extract of the same data, to read features instead of extracting them";

inline constexpr const char* kUniversalHelp =
    "file made by train --save-universal: its mixture and reductions are used, and none are learnt "
    "(fisher, "
    "supervector, ppk, klk)";

// --seed, --threads, --quiet, --json, --profile: every command has them.
struct Common {
  uint64_t seed = kDefaultSeed;
  int threads = 0;
  bool quiet = false;
  bool json = false;

  void add_to(CLI::App& app);
  // Holds for as long as the result lives.
  std::unique_ptr<ThreadLimit> limit_threads() const {
    return std::make_unique<ThreadLimit>(threads);
  }
  // A bar on a terminal, nothing to see elsewhere or with --quiet; either way Ctrl-C ends the work
  // there.
  Progress progress() const;
  // One sentence on stderr, unless --quiet.
  void say(const std::string& message) const;
};

// --method, --recipe and --set.
struct MethodChoice {
  std::string method;
  std::string recipe;
  std::vector<std::string> overrides;

  void add_to(CLI::App& app);
  // The recipe asked for, overrides applied; `fallback` where neither method nor recipe was given.
  Recipe resolve(const std::string& fallback) const;
};

// --cache and --cache-gib: features on disk, shared by methods and runs.
struct CacheChoice {
  std::string folder;  // of the user where empty; "none" for no cache
  double gib = 16;

  void add_to(CLI::App& app);
  CacheOptions resolve() const;
};

inline const char* default_method(ItemKind kind) {
  return kind == ItemKind::kImages ? kDefaultMethod : kDefaultMethodForSets;
}

// Opens DATA and says on stderr what was passed over.
Dataset open_data(const std::string& path, const Common& common);

// For vector sets a feature stage has nothing to do; it is left out, and said so.
Recipe fit_to_data(Recipe recipe, ItemKind kind, const Common& common);

// The items to work on: those that the data marks as `part`, or all where it marks none.
std::vector<size_t> items_of_part(const Dataset& dataset, Part part);

// Of `wanted`, what every branch can read, and why the others cannot be; says the
// latter on stderr. Not a single readable item is a data error.
struct Readable {
  std::vector<size_t> items;
  std::vector<std::string> left_out;
};
Readable readable_items(std::span<const BranchPlan> branches, const ItemSource& source,
                        std::span<const size_t> wanted, const Progress& progress,
                        const Common& common);

// What was left out of a batch, at most a few by name.
void say_left_out(const std::vector<std::string>& reasons, const Common& common);

// Refuses, before any work, an output that cannot be written: its folder is missing or no folder.
void check_output(const std::string& path);

// "1 item", "2 items".
std::string counted(size_t count, const std::string& noun);
// "512 B", "3.2 MiB".
std::string bytes_text(double bytes);

// The data's labels in the model's numbering of classes; a class that the model does not know is a
// data error.
Labels in_model_classes(const Labels& labels, const std::vector<std::string>& model_classes);

void print_json(nlohmann::ordered_json value);

}  // namespace muster::cli
