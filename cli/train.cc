#include <memory>
#include <nlohmann/json.hpp>

#include "choice_text.h"
#include "commands.h"
#include "common.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

struct TrainArguments {
  Common common;
  MethodArguments choice;
  CacheChoice cache{.folder = "none"};
  TrainOptions options;
  std::string data, model, save_universal;
};

int train(TrainArguments& args) {
  check_output(args.model);
  if (!args.save_universal.empty()) {
    check_output(args.save_universal);
    std::error_code unknown;
    if (std::filesystem::weakly_canonical(args.save_universal, unknown) ==
        std::filesystem::weakly_canonical(args.model, unknown))
      throw Error(ErrorKind::kUsage,
                  "train: --output and --save-universal name one file; give each its own");
  }
  TrainOptions& options = args.options;
  options.method = args.choice.method;
  options.recipe = args.choice.recipe;
  options.set = args.choice.overrides;
  args.cache.apply_to(options.source);
  args.common.apply_to(options);
  const Model model = muster::train(args.data, options);
  if (!args.save_universal.empty()) model.save_universal(args.save_universal);
  model.save(args.model);

  const FitReport& report = model.report();
  std::optional<double> score;
  if (report.fit) score = report.fit->cross_validated();
  if (report.choice) score = report.choice->estimate;
  if (args.common.json) {
    std::vector<std::string> left_out;
    for (const LeftOut& item : report.left_out) left_out.push_back(item.reason);
    nlohmann::ordered_json out{{"model", args.model},   {"recipe", model.recipe()},
                               {"items", report.items}, {"classes", model.class_names()},
                               {"left_out", left_out},  {"seconds", report.seconds}};
    if (score) out["cross_validated"] = *score;
    if (report.choice) out["choice"] = choice_json(*report.choice);
    print_json(out);
    return 0;
  }
  if (report.choice) print_result("{}", choice_table(*report.choice));
  print_result("trained on {} items of {} classes\n", report.items, model.class_names().size());
  const char* measure = model.info().multi_label ? "mean average precision" : "accuracy";
  if (report.choice)
    print_result("{}", estimate_text(*report.choice, measure));
  else if (score)
    print_result("{} by cross-validation: {:.1f} %\n", measure, 100 * *score);
  print_result("model: {}\n", args.model);
  return 0;
}

}  // namespace

Run add_train(CLI::App& app) {
  auto args = std::make_shared<TrainArguments>();
  app.add_option("DATA", args->data,
                 "class folders, train/test folders, a list file or a VOC folder")
      ->required();
  app.add_option("-o,--output", args->model, "the model file to write")->required();
  app.add_option("--features", args->options.source.features, kFeaturesHelp);
  app.add_flag("--keep-training", args->options.keep_training,
               "keep the training vectors in the model, so that muster add-class can use them; "
               "kernel machines always do, and with this keep their kernel matrix, which makes "
               "add-class quick");
  app.add_flag(
      "--class-mixtures", args->options.class_mixtures,
      "keep one mixture per class, adapted from the universal one, so that predict --reject goes "
      "by likelihood ratio instead of best score (fisher, supervector, ppk, klk)");
  app.add_option("--universal", args->options.universal, kUniversalHelp);
  app.add_option(
      "--save-universal", args->save_universal,
      "write the universal mixture and the reductions before it to this file, for --universal");
  args->choice.add_to(app);
  add_effort(app, args->options.effort);
  app.add_flag("--by-object", args->options.by_object,
               "auto: files of a class whose names agree up to the first '-' show one object; "
               "judge on objects that were not trained on");
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return train(*args); };
}

}  // namespace muster::cli
