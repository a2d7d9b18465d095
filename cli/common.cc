#include "common.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "muster/core/error.h"
#include "profile.h"
#include "progress_bar.h"

namespace muster::cli {
namespace {

constexpr size_t kNamedLeftOut = 10;

}  // namespace

void Common::add_to(CLI::App& app) {
  add_seed(app, seed);
  app.add_option("--threads", threads, "threads to use; 0 takes all cores")
      ->check(whole_number(0, 4096))
      ->capture_default_str();
  app.add_flag("--quiet", quiet, "no progress and no messages but errors");
  app.add_flag("--json", json, "the result as JSON on stdout");
  app.add_flag_callback(
      "--profile", start_profile,
      "time and peak memory of each stage on stderr, and in the JSON if it is an object");
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
  std::fflush(stdout);  // in order also if both go to one file; a failure shows at the end
  put_message(message);
}

void MethodArguments::add_to(CLI::App& app) {
  auto* by_name = app.add_option("--method,-m", method,
                                 "a named method (see: muster methods), or auto to choose one");
  app.add_option("--recipe,-r", recipe, "a recipe, such as dsift/bow:words=500/linear-svm")
      ->excludes(by_name);
  add_overrides(app, overrides);
}

void add_effort(CLI::App& app, Effort& effort) {
  app.add_option("--effort", effort, "how much auto tries: quick, normal or thorough")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Effort>{
          {"quick", Effort::kQuick}, {"normal", Effort::kNormal}, {"thorough", Effort::kThorough}}))
      ->default_str("normal");
}

void add_set_recipe(CLI::App& app, std::string& recipe, std::vector<std::string>& overrides) {
  app.add_option("--recipe,-r", recipe,
                 "a recipe without a classifier, such as pca:dim=8/bow:words=100")
      ->required();
  add_overrides(app, overrides);
}

void add_overrides(CLI::App& app, std::vector<std::string>& overrides) {
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
      ->check(real_number(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--memory-gib", memory_gib,
                 "memory to keep to, in GiB; features that take more than half of it go to a "
                 "temporary file")
      ->check(real_number(0.01, 1e6))
      ->default_str("a quarter of the machine's, at most 2");
}

void CacheChoice::apply_to(SourceOptions& options) const {
  constexpr double kGib = 1 << 30;
  if (memory_gib > 0) options.memory_bytes = static_cast<size_t>(memory_gib * kGib);
  CacheOptions& disk = options.disk;
  disk.max_bytes = static_cast<size_t>(gib * kGib);
  if (folder == "none") return;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (!folder.empty())
    disk.folder = folder;
  else if (cache && *cache)
    disk.folder = std::filesystem::path(cache) / "muster" / "features";
  else if (home && *home)
    disk.folder = std::filesystem::path(home) / ".cache" / "muster" / "features";
}

Dataset open_data(const std::string& path, const Common& common) {
  Dataset dataset = open_dataset(path);
  say_left_out(dataset.notes, common);
  return dataset;
}

void check_outside(const std::string& output, const std::string& data) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (!fs::is_directory(data, unknown) || fs::exists(fs::path(data) / "labels.tsv", unknown))
    return;
  const fs::path inside =
      fs::weakly_canonical(output, unknown).lexically_relative(fs::weakly_canonical(data, unknown));
  if (inside.empty() || *inside.begin() == "..") return;
  throw usage_error("{}: it lies in {}, and would be taken for data later; choose another place",
                    output, data);
}

Recipe fit_to_data(Recipe recipe, ItemKind kind, const Common& common) {
  return muster::fit_to_data(std::move(recipe), kind,
                             [&](const std::string& message) { common.say(message); });
}

void say_left_out(const std::vector<std::string>& reasons, const Common& common) {
  for (size_t i = 0; i < reasons.size() && i < kNamedLeftOut; ++i)
    common.say("left out: " + reasons[i]);
  if (reasons.size() > kNamedLeftOut)
    common.say(fmt::format("... and {} more left out", reasons.size() - kNamedLeftOut));
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
  print_result("{}\n", value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace muster::cli
