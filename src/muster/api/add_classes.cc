#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/dataset/file_names.h"
#include "muster/pipeline/add_class.h"
#include "muster/source/cached_source.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// A folder of items without class folders: all of one class.
std::optional<Dataset> open_flat(const fs::path& data, const std::string& class_name) {
  if (!is_folder(data)) return std::nullopt;
  const fs::path root = data.has_filename() ? data : data.parent_path();
  const std::string name =
      class_name.empty() ? fs::absolute(root).lexically_normal().filename().string() : class_name;
  DatasetBuilder builder(root);
  bool folders = false;
  for (const fs::path& entry : sorted_entries(root)) {
    if (is_folder(entry))
      folders = true;
    else if (item_kind(entry))
      builder.add({entry, entry.filename().string(), object_group(name, entry), Part::kNone},
                  {name});
    else
      builder.pass_over(entry);
  }
  if (builder.empty() || folders || fs::exists(root / "labels.tsv")) return std::nullopt;
  return builder.finish(data.string());
}

Dataset open_new(const fs::path& data, const std::string& class_name) {
  if (std::optional<Dataset> flat = open_flat(data, class_name)) return *std::move(flat);
  if (!class_name.empty())
    throw usage_error(
        "add-class: a class name is for a folder of items of one class, but {} names its classes "
        "itself",
        data.string());
  return open_dataset(data);
}

}  // namespace

Model add_classes(const Model& model, const fs::path& data, const std::string& class_name,
                  const RunOptions& options) {
  const Run run(options, "add-class");
  const Ensemble& ensemble = model.state().ensemble;
  if (ensemble.fused())
    throw usage_error(
        "add-class: the model is fused; add the class to each of its members and fuse them again");
  const Pipeline& pipeline = ensemble.members()[0];
  const Dataset dataset = open_new(data, class_name);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  const std::vector<size_t> wanted = items_of_part(dataset, Part::kTrain);
  ensemble.check_kinds(source, wanted);
  const Readable readable = readable_items(source, ensemble.extractions(), wanted, run.progress());
  run.say_left_out(reasons_of(readable.left_out));
  FitReport report;
  report.items = readable.items.size();
  report.left_out = named(source, readable.left_out);
  Pipeline more =
      muster::add_classes(pipeline, source, readable.items, dataset.labels.select(readable.items),
                          run.progress(), &report.seconds);
  report.fit = fit_facts(more);
  if (pipeline.class_mixtures()) {
    const std::string lost =
        "the new model has no class mixtures, since the statistics of the old items were not kept: "
        "predict --reject goes by the best score; to keep them, train again with --class-mixtures "
        "on all classes";
    run.say(lost);
    report.warnings.push_back(lost);
  }
  return make_model(std::move(more), std::move(report));
}

}  // namespace muster
