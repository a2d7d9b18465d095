#include "muster/pipeline/add_class.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/dataset/file_names.h"
#include "muster/pipeline/model.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

struct AddClassArguments {
  Common common;
  std::string model, data, name, out;
};

// A folder of items without class folders: all of one class.
std::optional<Dataset> open_flat(const AddClassArguments& args) {
  if (!fs::is_directory(args.data)) return std::nullopt;
  const fs::path root =
      fs::path(args.data).has_filename() ? fs::path(args.data) : fs::path(args.data).parent_path();
  const std::string name =
      args.name.empty() ? fs::absolute(root).lexically_normal().filename().string() : args.name;
  DatasetBuilder builder(root);
  bool folders = false;
  for (const fs::path& entry : sorted_entries(root)) {
    if (fs::is_directory(entry))
      folders = true;
    else if (item_kind(entry))
      builder.add({entry, entry.filename().string(), object_group(name, entry), Part::kNone},
                  {name});
    else
      builder.pass_over(entry);
  }
  if (builder.empty() || folders || fs::exists(root / "labels.tsv")) return std::nullopt;
  return builder.finish(args.data);
}

Dataset open_new(const AddClassArguments& args) {
  if (std::optional<Dataset> flat = open_flat(args)) {
    say_left_out(flat->notes, args.common);
    return *std::move(flat);
  }
  if (!args.name.empty())
    throw usage_error(
        "add-class: --name is for a folder of items of one class, but {} names its classes itself",
        args.data);
  return open_data(args.data, args.common);
}

int add_class(const AddClassArguments& args) {
  const auto threads = args.common.limit_threads();
  check_output(args.out);
  const Model model = Model::load(args.model);
  if (model.fused())
    throw usage_error(
        "add-class: {} is fused; add the class to each of its members and fuse them again",
        args.model);
  const Pipeline& pipeline = model.members()[0];
  const Dataset dataset = open_new(args);
  const ItemSource source(dataset);
  const Progress progress = args.common.progress();
  const auto [items, left_out] = readable_items(
      model.branches(), source, items_of_part(dataset, Part::kTrain), progress, args.common);
  StageSeconds seconds;
  const Pipeline more =
      add_classes(pipeline, source, items, dataset.labels.select(items), progress, &seconds);
  more.save(args.out);
  if (pipeline.class_mixtures())
    args.common.say(
        "the new model has no class mixtures, since the statistics of the old items were not kept: "
        "predict --reject "
        "goes by the best score; to keep them, train anew with --class-mixtures on all classes");
  const std::vector<std::string> added(
      more.class_names().begin() + static_cast<long>(pipeline.class_names().size()),
      more.class_names().end());
  if (args.common.json)
    print_json({{"model", args.out},
                {"added", added},
                {"items", items.size()},
                {"classes", more.class_names()},
                {"left_out", left_out},
                {"seconds", seconds}});
  else
    fmt::print("added {} by {}; {} now\nmodel: {}\n", fmt::join(added, ", "),
               counted(items.size(), "item"), counted(more.class_names().size(), "class"),
               args.out);
  return 0;
}

}  // namespace

Run add_add_class(CLI::App& app) {
  auto args = std::make_shared<AddClassArguments>();
  app.add_option("MODEL", args->model,
                 "a model trained with --keep-training, or any kernel machine")
      ->required();
  app.add_option("DATA", args->data,
                 "a folder of items of the new class, or labelled data as for train")
      ->required();
  app.add_option("-o,--output", args->out, "the model file to write")->required();
  app.add_option("--name", args->name, "name of the class; without it the folder's name");
  args->common.add_to(app);
  return [args] { return add_class(*args); };
}

}  // namespace muster::cli
