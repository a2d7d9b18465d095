#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

struct AddClassArguments {
  Common common;
  CacheChoice cache{.folder = "none"};
  std::string model, data, name, out;
};

int add_class(const AddClassArguments& args) {
  check_output(args.out);
  const Model model = load(args.model);
  RunOptions options = args.common.run_options();
  args.cache.apply_to(options.source);
  const Model more = add_classes(model, args.data, args.name, options);
  more.save(args.out);
  const FitReport& report = more.report();
  const std::vector<std::string> added(
      more.class_names().begin() + static_cast<long>(model.class_names().size()),
      more.class_names().end());
  std::vector<std::string> left_out;
  for (const LeftOut& item : report.left_out) left_out.push_back(item.reason);
  if (args.common.json)
    print_json({{"model", args.out},
                {"added", added},
                {"items", report.items},
                {"classes", more.class_names()},
                {"left_out", left_out},
                {"seconds", report.seconds}});
  else
    print_result("added {} by {}; {} now\nmodel: {}\n", fmt::join(added, ", "),
                 counted(report.items, "item"), counted(more.class_names().size(), "class"),
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
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return add_class(*args); };
}

}  // namespace muster::cli
