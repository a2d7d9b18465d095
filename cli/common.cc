#include "common.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/pipeline/plan.h"
#include "progress_bar.h"

namespace muster::cli {
namespace {

constexpr size_t kNamedLeftOut = 10;

}  // namespace

void Common::add_to(CLI::App& app) {
  app.add_option("--seed", seed, "one seed, one result, for any number of threads")->capture_default_str();
  app.add_option("--threads", threads, "threads to use; 0 takes all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_flag("--quiet", quiet, "no progress and no messages but errors");
  app.add_flag("--json", json, "the result as JSON on stdout");
}

Progress Common::progress() const {
  if (quiet || !isatty(STDERR_FILENO)) return {};
  return make_progress_bar();
}

void Common::say(const std::string& message) const {
  if (!quiet) fmt::print(stderr, "{}\n", message);
}

void MethodChoice::add_to(CLI::App& app) {
  auto* by_name = app.add_option("--method,-m", method, "a named method (see: muster methods)");
  app.add_option("--recipe,-r", recipe, "a recipe, such as dsift/bow:words=500/linear-svm")->excludes(by_name);
  app.add_option("--set", overrides, "option=value or stage.option=value; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
}

Recipe MethodChoice::resolve(const std::string& fallback) const {
  Recipe out = !recipe.empty() ? parse_recipe(recipe) : recipe_of_method(method.empty() ? fallback : method);
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
    common.say(fmt::format("the data are vector sets: the feature stage {} is left out", branch.front().name));
    branch.erase(branch.begin());
  }
  return recipe;
}

void say_left_out(const std::vector<std::string>& reasons, const Common& common) {
  for (size_t i = 0; i < reasons.size() && i < kNamedLeftOut; ++i) common.say("left out: " + reasons[i]);
  if (reasons.size() > kNamedLeftOut) common.say(fmt::format("... and {} more left out", reasons.size() - kNamedLeftOut));
}

void check_output(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder))
    throw runtime_failure("{}: the folder {} does not exist; make it first", path, folder.string());
  if (fs::is_directory(path)) throw runtime_failure("{}: it is a folder; name a file", path);
  if (access(folder.c_str(), W_OK) != 0)
    throw runtime_failure("{}: the folder {} cannot be written to", path, folder.string());
}

void print_json(const nlohmann::ordered_json& value) { fmt::print("{}\n", value.dump(2)); }

}  // namespace muster::cli
