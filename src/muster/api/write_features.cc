#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/pipeline/local_features.h"
#include "muster/recipe/method_choice.h"
#include "muster/source/cached_source.h"
#include "muster/store/atomic_file.h"
#include "muster/store/feature_shards.h"

namespace muster {
namespace {

// Items extracted side by side, then added in order: bounds the memory of what waits to be written.
constexpr size_t kBatch = 64;

// By default the feature of the method fisher.
Recipe recipe_of(const std::string& text, const std::vector<std::string>& overrides) {
  return chosen_recipe(
      {"", text.empty() ? recipe_of_method("fisher").branches[0][0].text() : text, overrides}, "");
}

class Extracting {
 public:
  Extracting(const BranchPlan& plan, const SetSource& source, FeatureWriter& writer,
             const Progress& progress, ExtractReport& report)
      : plan_(plan), source_(source), writer_(writer), progress_(progress), report_(report) {}

  // If it is cancelled, everything extracted so far is written before the cancellation goes on.
  void run(bool cached) {
    std::vector<size_t> todo;
    for (size_t i = 0; i < source_.size(); ++i)
      if (!writer_.has(source_.name(i))) todo.push_back(i);
    report_.kept = source_.size() - todo.size();
    try {
      if (cached) source_.prepare(plan_.extraction.get(), todo, progress_);
      ProgressStep step(progress_, "features", todo.size());
      for (size_t begin = 0; begin < todo.size(); begin += kBatch)
        run_batch(std::span(todo).subspan(begin, std::min(kBatch, todo.size() - begin)), step);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCancelled) writer_.finish();
      throw;
    }
    writer_.finish();
  }

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
        report_.left_out.push_back({source_.name(items[i]), reasons[i]});
        continue;
      }
      writer_.add(source_.name(items[i]), sets[i]);
      report_.vectors_added += sets[i].size();
      ++report_.added;
    }
  }

  const BranchPlan& plan_;
  const SetSource& source_;
  FeatureWriter& writer_;
  const Progress& progress_;
  ExtractReport& report_;
};

}  // namespace

ExtractReport write_features(const std::filesystem::path& data, const std::filesystem::path& folder,
                             const std::string& recipe, const RepresentOptions& options) {
  const Run run(run_options(options), "extract");
  const Dataset dataset = open_dataset(data);
  run.say_left_out(dataset.notes);
  const BranchPlan plan = plan_local_features(
      fit_to_data(recipe_of(recipe, options.set), dataset.kind, run.notice()), dataset.kind);
  ExtractReport report;
  report.recipe = Plan{{plan}, std::nullopt}.recipe().text();
  FeatureWriter writer(folder, {{"recipe", report.recipe}});
  const CachedSource source(dataset, {.memory_bytes = 0, .disk = run.source().disk});
  Extracting(plan, source, writer, run.progress(), report).run(!run.source().disk.folder.empty());

  std::vector<std::string> reasons;
  std::string listing;
  for (const LeftOut& item : report.left_out) {
    reasons.push_back(item.reason);
    listing += item.item + "\t" + item.reason + "\n";
  }
  write_file_atomically(folder / "left_out.tsv", listing);
  if (report.kept + report.added == 0)
    throw data_error("{}: none of its {} items can be read, the first because: {}", data.string(),
                     source.size(), reasons.front());
  run.say_left_out(reasons);
  return report;
}

}  // namespace muster
