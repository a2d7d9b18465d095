#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/dataset/file_names.h"
#include "muster/retrieval/retrieval.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// A folder of items without classes: no folder in it, and no list.
bool is_flat(const fs::path& path) {
  if (!is_folder(path) || fs::exists(path / "labels.tsv")) return false;
  bool has_items = false;
  for (const fs::path& entry : sorted_entries(path)) {
    if (is_folder(entry)) return false;
    has_items = has_items || item_kind(entry).has_value();
  }
  return has_items;
}

// Data set or flat folder. Items of the latter have no labels.
Dataset open_collection(const fs::path& path) {
  if (!is_flat(path)) return open_dataset(path);
  DatasetBuilder builder(path);
  for (const fs::path& entry : sorted_entries(path)) {
    if (item_kind(entry))
      builder.add({entry.string(), entry.filename().string(), "", Part::kNone}, {});
    else
      builder.pass_over(entry);
  }
  return builder.finish(path.string());
}

RunOptions checked_run_options(const SimilarOptions& options) {
  if (options.top == 0) throw usage_error("similar: top is 0; ask for 1 item or more");
  return run_options(options);
}

// Queries that cannot be read get their error here; the others are in the result.
std::vector<size_t> readable_queries(const Ensemble& ensemble, const SetSource& queries,
                                     const Run& run, SimilarItems& out) {
  std::vector<size_t> kept;
  for (size_t q = 0; q < queries.size(); ++q) try {
      ensemble.check_kinds(queries, {&q, 1});
      for (const Extraction* extraction : ensemble.extractions())
        for (const ItemFailure& failure : queries.prepare(extraction, {&q, 1}, {}))
          throw Error(ErrorKind::kData, failure.reason);
      kept.push_back(q);
      if (run.progress()) run.progress()("queries", q + 1, queries.size());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      out.answers[q].error = error;
    }
  return kept;
}

// `labels` may be null.
SimilarItems similar_in(const Ensemble& ensemble, const SetSource& source, const Labels* labels,
                        Inputs inputs, const SimilarOptions& options, const Run& run) {
  const CachedSource queries(std::make_unique<InputSource>(inputs), run.source());
  SimilarItems out;
  out.answers.resize(queries.size());
  const std::vector<size_t> all = all_items_of(source);
  ensemble.check_kinds(source, all);
  const std::vector<size_t> asked = readable_queries(ensemble, queries, run, out);
  if (asked.empty()) return out;
  const Readable readable = readable_items(source, ensemble.extractions(), all, run.progress());
  run.say_left_out(reasons_of(readable.left_out));
  out.left_out = named(source, readable.left_out);
  const std::vector<Neighbours> found =
      most_similar(ensemble, queries, asked, source, readable.items, options.top, run.progress());
  for (size_t q = 0; q < asked.size(); ++q)
    for (const Neighbour& one : found[q]) {
      const size_t item = readable.items[one.row];
      SimilarItems::Item& named = out.answers[asked[q]].items.emplace_back(
          SimilarItems::Item{source.name(item), {}, one.score});
      if (labels)
        for (const int label : labels->of_item[item])
          named.labels.push_back(labels->class_names[static_cast<size_t>(label)]);
    }
  return out;
}

}  // namespace

SimilarItems Model::similar(const fs::path& data, Inputs queries,
                            const SimilarOptions& options) const {
  const Run run(checked_run_options(options), "similar");
  const Dataset dataset = open_collection(data);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  return similar_in(state_->ensemble, source, &dataset.labels, queries, options, run);
}

SimilarItems Model::similar(Inputs items, Inputs queries, const SimilarOptions& options) const {
  const Run run(checked_run_options(options), "similar");
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  common_kind(source, "similar");
  return similar_in(state_->ensemble, source, nullptr, queries, options, run);
}

RetrievalEvaluation Model::evaluate_retrieval(const fs::path& data,
                                              const SimilarOptions& options) const {
  const Run run(checked_run_options(options), "similar");
  const Dataset dataset = open_dataset(data);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  const std::vector<size_t> wanted = items_of_part(dataset, Part::kTest);
  const Ensemble& ensemble = state_->ensemble;
  ensemble.check_kinds(source, wanted);
  const Readable readable = readable_items(source, ensemble.extractions(), wanted, run.progress());
  run.say_left_out(reasons_of(readable.left_out));
  const RetrievalMeasures measures =
      measure_retrieval(ensemble, source, readable.items, dataset.labels.select(readable.items),
                        options.top, run.progress());
  if (measures.queries == 0)
    throw data_error("{}: no two of its items share a label, so there is nothing to find",
                     data.string());
  return {readable.items.size(), measures.queries, measures.mean_average_precision,
          measures.precision_at_count, named(source, readable.left_out)};
}

}  // namespace muster
