#include "common.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "interrupt.h"
#include "muster/core/error.h"
#include "profile.h"
#include "progress_bar.h"

namespace muster::cli {
namespace {

constexpr size_t kNamedLeftOut = 10;

}  // namespace

void Common::add_to(CLI::App& app) {
  app.add_option("--seed", seed, "one seed, one result, for any number of threads")
      ->capture_default_str();
  app.add_option("--threads", threads, "threads to use; 0 takes all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_flag("--quiet", quiet, "no progress and no messages but errors");
  app.add_flag("--json", json, "the result as JSON on stdout");
  app.add_flag_callback(
      "--profile", start_profile,
      "time and peak memory of each stage on stderr, and in the JSON where it is an object");
}

Progress Common::progress() const {
  Progress bar;
  if (!quiet && isatty(STDERR_FILENO)) bar = make_progress_bar();
  return [bar](std::string_view step, size_t done, size_t total) {
    stop_if_interrupted();
    profile_step(step, done, total);
    if (bar) bar(step, done, total);
  };
}

void Common::say(const std::string& message) const {
  if (quiet) return;
  std::fflush(stdout);  // in order also where both go to one file
  fmt::print(stderr, "{}\n", message);
}

void MethodChoice::add_to(CLI::App& app) {
  auto* by_name = app.add_option("--method,-m", method, "a named method (see: muster methods)");
  app.add_option("--recipe,-r", recipe, "a recipe, such as dsift/bow:words=500/linear-svm")
      ->excludes(by_name);
  app.add_option("--set", overrides,
                 "option=value or stage.option=value; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
}

void CacheChoice::add_to(CLI::App& app) {
  app.add_option("--cache", folder, "folder to keep features in, shared by all runs, or none")
      ->default_str(folder.empty() ? "$XDG_CACHE_HOME/muster/features or ~/.cache/muster/features"
                                   : folder);
  app.add_option("--cache-gib", gib,
                 "most that the cache may hold, in GiB; the longest unused goes first")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

CacheOptions CacheChoice::resolve() const {
  CacheOptions out;
  out.max_bytes = static_cast<size_t>(gib * (size_t{1} << 30));
  if (folder == "none") return out;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (!folder.empty())
    out.folder = folder;
  else if (cache && *cache)
    out.folder = std::filesystem::path(cache) / "muster" / "features";
  else if (home && *home)
    out.folder = std::filesystem::path(home) / ".cache" / "muster" / "features";
  return out;
}

Recipe MethodChoice::resolve(const std::string& fallback) const {
  Recipe out =
      !recipe.empty() ? parse_recipe(recipe) : recipe_of_method(method.empty() ? fallback : method);
  for (const std::string& assignment : overrides) override_option(out, assignment);
  return out;
}

Dataset open_data(const std::string& path, const Common& common) {
  Dataset dataset = open_dataset(path);
  say_left_out(dataset.notes, common);
  return dataset;
}

Recipe fit_to_data(Recipe recipe, ItemKind kind, const Common& common) {
  if (kind == ItemKind::kImages) return recipe;
  for (auto& branch : recipe.branches) {
    if (branch.empty() || find_stage(branch.front().name).kind() != "feature") continue;
    common.say(fmt::format("the data are vector sets: the feature stage {} is left out",
                           branch.front().name));
    branch.erase(branch.begin());
  }
  return recipe;
}

std::vector<size_t> items_of_part(const Dataset& dataset, Part part) {
  std::vector<size_t> marked, all(dataset.items.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (size_t i : all)
    if (dataset.items[i].part == part) marked.push_back(i);
  return marked.empty() ? all : marked;
}

Readable readable_items(std::span<const BranchPlan> branches, const ItemSource& source,
                        std::span<const size_t> wanted, const Progress& progress,
                        const Common& common) {
  Readable out;
  std::set<size_t> bad;
  for (const BranchPlan& branch : branches)
    for (const ItemFailure& failure : source.prepare(branch.extractor, wanted, progress))
      if (bad.insert(failure.item).second) out.left_out.push_back(failure.reason);
  for (size_t i : wanted)
    if (!bad.contains(i)) out.items.push_back(i);
  if (out.items.empty())
    throw data_error("{}: none of its {} items can be read, the first because: {}",
                     source.dataset().root.string(), wanted.size(),
                     out.left_out.empty() ? "there is none" : out.left_out.front());
  say_left_out(out.left_out, common);
  return out;
}

Labels in_model_classes(const Labels& labels, const std::vector<std::string>& model_classes) {
  std::vector<int> number;
  for (const std::string& name : labels.class_names) {
    const auto found = std::ranges::find(model_classes, name);
    if (found == model_classes.end())
      throw data_error("the data has a class '{}' that the model does not know; it knows: {}", name,
                       fmt::join(model_classes, ", "));
    number.push_back(static_cast<int>(found - model_classes.begin()));
  }
  Labels out;
  out.class_names = model_classes;
  const auto renumber = [&](const std::vector<std::vector<int>>& lists) {
    std::vector<std::vector<int>> renumbered = lists;
    for (auto& list : renumbered) {
      for (int& label : list) label = number[static_cast<size_t>(label)];
      std::ranges::sort(list);
    }
    return renumbered;
  };
  out.of_item = renumber(labels.of_item);
  out.difficult = renumber(labels.difficult);
  out.multi_label = labels.multi_label;
  return out;
}

void say_left_out(const std::vector<std::string>& reasons, const Common& common) {
  for (size_t i = 0; i < reasons.size() && i < kNamedLeftOut; ++i)
    common.say("left out: " + reasons[i]);
  if (reasons.size() > kNamedLeftOut)
    common.say(fmt::format("... and {} more left out", reasons.size() - kNamedLeftOut));
}

void check_output(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder))
    throw runtime_failure("{}: the folder {} does not exist; make it first", path, folder.string());
  if (fs::is_directory(path)) throw runtime_failure("{}: it is a folder; name a file", path);
  if (access(folder.c_str(), W_OK) != 0)
    throw runtime_failure("{}: the folder {} cannot be written to", path, folder.string());
}

std::string counted(size_t count, const std::string& noun) {
  if (count == 1) return "1 " + noun;
  const bool hissing = noun.ends_with("s");
  return fmt::format("{} {}{}", count, noun, hissing ? "es" : "s");
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

// A file name of other bytes than UTF-8 must not keep the rest from being printed.
void print_json(nlohmann::ordered_json value) {
  if (profiling() && value.is_object()) value["profile"] = profile_so_far();
  fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace muster::cli
