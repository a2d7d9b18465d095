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
#include "muster/muster.h"
#include "muster/recipe/method_choice.h"
#include "numbers.h"
#include "output.h"

namespace muster::cli {

inline constexpr uint64_t kDefaultSeed = 1;

inline constexpr const char* kFeaturesHelp =
    "folder made by muster extract of the same data, to read features instead of extracting them";

inline constexpr const char* kUniversalHelp =
    "file made by train --save-universal: its mixture and reductions are used, and none are "
    "learned (fisher, supervector, ppk, klk)";

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
  // All of these for the library; features are kept as `source` says.
  template <class Options>
  void apply_to(Options& options) const {
    options.threads = threads;
    options.progress = progress();
    options.notice = [*this](const std::string& message) { say(message); };
    if constexpr (requires { options.seed; }) options.seed = seed;
  }
  RunOptions run_options() const {
    RunOptions options;
    apply_to(options);
    return options;
  }
};

// --method, --recipe and --set.
struct MethodArguments : MethodChoice {
  void add_to(CLI::App& app);
};

// --effort.
void add_effort(CLI::App& app, Effort& effort);

// --recipe without a classifier, and --set.
void add_set_recipe(CLI::App& app, std::string& recipe, std::vector<std::string>& overrides);
// --set alone.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);

// --cache and --cache-gib: features on disk, shared by methods and runs. --memory-gib: how much is
// kept in memory.
struct CacheChoice {
  std::string folder;  // the user's own if empty; "none" for no cache
  double gib = 16;
  double memory_gib = 0;  // as much as SourceOptions says if 0

  void add_to(CLI::App& app);
  void apply_to(SourceOptions& options) const;
};

// Opens DATA and says on stderr what was passed over.
Dataset open_data(const std::string& path, const Common& common);

// Refuses an output that lies in the folder it is made from, where later runs would take it for
// data. Folders with a list of their items (labels.tsv) may hold anything.
void check_outside(const std::string& output, const std::string& data);

// For vector sets a feature stage has nothing to do; it is left out, and said so.
Recipe fit_to_data(Recipe recipe, ItemKind kind, const Common& common);

// What was left out of a batch, at most a few by name.
void say_left_out(const std::vector<std::string>& reasons, const Common& common);

// "1 item", "2 items".
std::string counted(size_t count, const std::string& noun);
// "512 B", "3.2 MiB".
std::string bytes_text(double bytes);

void print_json(nlohmann::ordered_json value);

}  // namespace muster::cli
