#include <cstring>

#include "muster/api/run.h"
#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/pipeline/local_features.h"
#include "muster/recipe/method_choice.h"
#include "muster/source/cached_source.h"
#include "muster/source/readable.h"
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

// What became of an item: its set, or why there is none.
struct Extracted {
  VectorSet set;
  std::string reason;
};

// One item, as it goes from rank to rank.
std::string bytes_of(const Extracted& item) {
  std::string out;
  const auto add = [&](const void* data, size_t size) {
    out.append(static_cast<const char*>(data), size);
  };
  const VectorSet& set = item.set;
  const size_t sizes[] = {set.size(),
                          set.dim(),
                          set.places.cols(),
                          static_cast<size_t>(set.image_width),
                          static_cast<size_t>(set.image_height),
                          item.reason.size()};
  add(sizes, sizeof sizes);
  add(set.vectors.data(), set.vectors.size() * sizeof(float));
  add(set.places.data(), set.places.size() * sizeof(float));
  return out + item.reason;
}

// Takes it from the front of `bytes`.
Extracted take_item(std::span<const std::byte>& bytes) {
  const auto take = [&](void* to, size_t size) {
    MUSTER_CHECK(size <= bytes.size());
    if (size > 0) std::memcpy(to, bytes.data(), size);
    bytes = bytes.subspan(size);
  };
  size_t sizes[6];
  take(sizes, sizeof sizes);
  Extracted out{{Matrix<float>(sizes[0], sizes[1]), Matrix<float>(sizes[0], sizes[2]),
                 static_cast<int>(sizes[3]), static_cast<int>(sizes[4])},
                std::string(sizes[5], ' ')};
  take(out.set.vectors.data(), out.set.vectors.size() * sizeof(float));
  take(out.set.places.data(), out.set.places.size() * sizeof(float));
  take(out.reason.data(), out.reason.size());
  return out;
}

// The first rank writes what all extract.
class Extracting {
 public:
  // `writer` is null on the other ranks.
  Extracting(const BranchPlan& plan, const SetSource& source, FeatureWriter* writer,
             const Progress& progress, ExtractReport& report)
      : plan_(plan), source_(source), writer_(writer), progress_(progress), report_(report) {}

  // If it is cancelled, everything extracted so far is written before the cancellation goes on.
  void run(bool cached) {
    const std::vector<size_t> todo = missing();
    report_.kept = source_.size() - todo.size();
    try {
      if (cached) source_.prepare(plan_.extraction.get(), todo, progress_);
      ProgressStep step(progress_, "features", todo.size());
      for (size_t begin = 0; begin < todo.size(); begin += kBatch)
        run_batch(std::span(todo).subspan(begin, std::min(kBatch, todo.size() - begin)), step);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCancelled && writer_) writer_->finish();
      throw;
    }
    if (writer_) writer_->finish();
  }

 private:
  // As the first rank sees it.
  std::vector<size_t> missing() const {
    std::string there;
    for (size_t i = 0; writer_ && i < source_.size(); ++i)
      there += writer_->has(source_.name(i)) ? 'y' : 'n';
    there = text_of_first_rank(there);
    std::vector<size_t> out;
    for (size_t i = 0; i < source_.size(); ++i)
      if (there[i] == 'n') out.push_back(i);
    return out;
  }

  void run_batch(std::span<const size_t> items, ProgressStep& step) {
    std::vector<Extracted> results(items.size());
    const auto extract = [&] {
      parallel_for(items.size(), 1, [&](size_t i, size_t) {
        step.tick();
        if (rank_of_item(items[i]) != world().rank()) return;
        try {
          results[i].set = local_features(plan_, source_, items[i]);
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::kData) throw;
          results[i].reason = error.what();
        }
      });
    };
    if (divides_here()) {
      run_own_share(extract);
      collect(items, results);
    } else {
      extract();
    }
    for (size_t i = 0; writer_ && i < items.size(); ++i) {
      const Extracted& item = results[i];
      if (!item.reason.empty()) {
        report_.left_out.push_back({source_.name(items[i]), item.reason});
        continue;
      }
      writer_->add(source_.name(items[i]), item.set);
      report_.vectors_added += item.set.size();
      ++report_.added;
    }
  }

  // Those of other ranks, for the first one.
  void collect(std::span<const size_t> items, std::vector<Extracted>& results) const {
    std::string own;
    for (size_t i = 0; i < items.size(); ++i)
      if (rank_of_item(items[i]) == world().rank()) own += bytes_of(results[i]);
    const PartsOfRanks parts = world().collect(std::as_bytes(std::span(own)));
    std::vector<std::span<const std::byte>> left(parts.begin(), parts.end());
    for (size_t i = 0; writer_ && i < items.size(); ++i)
      results[i] = take_item(left[rank_of_item(items[i])]);
  }

  const BranchPlan& plan_;
  const SetSource& source_;
  FeatureWriter* writer_;
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
  std::optional<FeatureWriter> writer;
  if (on_first_rank()) writer.emplace(folder, FeatureMetadata{{"recipe", report.recipe}});
  const CachedSource source(dataset, {.memory_bytes = 0, .disk = run.source().disk});
  require_same_items(source);
  Extracting(plan, source, writer ? &*writer : nullptr, run.progress(), report)
      .run(!run.source().disk.folder.empty());

  std::vector<std::string> reasons;
  std::string listing;
  for (const LeftOut& item : report.left_out) {
    reasons.push_back(item.reason);
    listing += item.item + "\t" + item.reason + "\n";
  }
  write_file_atomically(folder / "left_out.tsv", listing);
  if (!on_first_rank()) return report;
  if (report.kept + report.added == 0)
    throw data_error("{}: none of its {} items can be read, the first because: {}", data.string(),
                     source.size(), reasons.front());
  run.say_left_out(reasons);
  return report;
}

}  // namespace muster
