#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "common.h"
#include "muster/core/parallel.h"
#include "muster/pipeline/local_features.h"
#include "muster/source/cached_source.h"
#include "muster/store/atomic_file.h"
#include "muster/store/feature_shards.h"

namespace muster::cli {
namespace {

// Items extracted side by side, then added in order: bounds the memory of what waits to be written.
constexpr size_t kBatch = 64;

struct ExtractArguments {
  Common common;
  MethodChoice choice;
  CacheChoice cache{.folder = "none"};
  std::string data, out;
};

// What `train` will ask for when it is given no method, either.
std::string default_features() {
  return recipe_of_method(default_method(ItemKind::kImages)).branches[0][0].text();
}

BranchPlan plan_features(const ExtractArguments& args, ItemKind kind) {
  MethodChoice choice = args.choice;
  if (choice.recipe.empty()) choice.recipe = default_features();
  return plan_local_features(fit_to_data(chosen_recipe(choice, ""), kind, args.common), kind);
}

class Extraction {
 public:
  Extraction(const BranchPlan& plan, const Dataset& dataset, const CacheOptions& cache,
             FeatureWriter& writer, const Progress& progress)
      : plan_(plan),
        dataset_(dataset),
        cached_(!cache.folder.empty()),
        source_(dataset, {.memory_bytes = 0, .disk = cache}),
        writer_(writer),
        progress_(progress) {}

  // On Ctrl-C everything extracted so far is written before the interruption goes on.
  void run() {
    std::vector<size_t> todo;
    for (size_t i = 0; i < dataset_.items.size(); ++i)
      if (!writer_.has(dataset_.items[i].name)) todo.push_back(i);
    kept = dataset_.items.size() - todo.size();
    try {
      if (cached_) source_.prepare(plan_.extraction.get(), todo, progress_);
      ProgressStep step(progress_, "features", todo.size());
      for (size_t begin = 0; begin < todo.size(); begin += kBatch)
        run_batch(std::span(todo).subspan(begin, std::min(kBatch, todo.size() - begin)), step);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCancelled) writer_.finish();
      throw;
    }
    writer_.finish();
  }

  size_t kept = 0, added = 0, vectors = 0;
  std::vector<ItemFailure> failures;

 private:
  void run_batch(std::span<const size_t> items, ProgressStep& step) {
    std::vector<VectorSet> sets(items.size());
    std::vector<std::string> reasons(items.size());
    parallel_for(items.size(), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        try {
          sets[i] = local_features(plan_, source_, items[i]);
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::kData) throw;
          reasons[i] = error.what();
        }
        step.tick();
      }
    });
    for (size_t i = 0; i < items.size(); ++i) {
      if (!reasons[i].empty()) {
        failures.push_back({items[i], reasons[i]});
        continue;
      }
      writer_.add(dataset_.items[items[i]].name, sets[i]);
      vectors += sets[i].size();
      ++added;
    }
  }

  const BranchPlan& plan_;
  const Dataset& dataset_;
  bool cached_;
  CachedSource source_;
  FeatureWriter& writer_;
  const Progress& progress_;
};

int extract(const ExtractArguments& args) {
  const ThreadLimit threads(args.common.threads);
  const Dataset dataset = open_data(args.data, args.common);
  const BranchPlan plan = plan_features(args, dataset.kind);
  const std::string recipe = Plan{{plan}, std::nullopt}.recipe().text();
  FeatureWriter writer(args.out, {{"recipe", recipe}});
  const Progress progress = args.common.progress();
  Extraction extraction(plan, dataset, args.cache.resolve(), writer, progress);
  extraction.run();

  std::vector<std::string> left_out;
  std::string listing;
  for (const ItemFailure& failure : extraction.failures) {
    left_out.push_back(failure.reason);
    listing += dataset.items[failure.item].name + "\t" + failure.reason + "\n";
  }
  write_file_atomically(std::filesystem::path(args.out) / "left_out.tsv", listing);
  if (extraction.kept + extraction.added == 0)
    throw data_error("{}: none of its {} items can be read, the first because: {}", args.data,
                     dataset.items.size(), left_out.front());
  say_left_out(left_out, args.common);
  if (args.common.json) {
    print_json({{"out", args.out},
                {"recipe", recipe},
                {"items", extraction.kept + extraction.added},
                {"added", extraction.added},
                {"kept", extraction.kept},
                {"vectors_added", extraction.vectors},
                {"left_out", left_out}});
    return 0;
  }
  fmt::print("{}: features of {}", args.out, counted(extraction.kept + extraction.added, "item"));
  if (extraction.kept > 0) fmt::print(" ({} were there before)", extraction.kept);
  fmt::print(", {} left out\n", left_out.size());
  return 0;
}

}  // namespace

Run add_extract(CLI::App& app) {
  auto args = std::make_shared<ExtractArguments>();
  app.add_option("DATA", args->data, "labelled data")->required();
  app.add_option("-o,--output", args->out,
                 "folder of shards to make; running again goes on where it stopped")
      ->required();
  app.add_option("--recipe,-r", args->choice.recipe,
                 "a feature and reductions that learn nothing, such as dsift/root")
      ->default_str(default_features());
  add_overrides(app, args->choice.overrides);
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return extract(*args); };
}

}  // namespace muster::cli
