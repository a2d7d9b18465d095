#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/crossval/cross_validation.h"
#include "muster/pipeline/pipeline.h"
#include "muster/pipeline/universal_file.h"

namespace muster::cli {
namespace {

struct TrainArguments {
  Common common;
  MethodChoice choice;
  std::string data, model, features, universal, save_universal;
  bool keep_training = false;
  bool class_mixtures = false;
};

int train(const TrainArguments& args) {
  const auto threads = args.common.limit_threads();
  check_output(args.model);
  if (!args.save_universal.empty()) check_output(args.save_universal);
  std::optional<UniversalFile> universal;
  if (!args.universal.empty()) universal = UniversalFile::load(args.universal);
  const Dataset dataset = open_data(args.data, args.common);
  const Plan plan = plan_recipe(
      fit_to_data(args.choice.resolve(default_method(dataset.kind)), dataset.kind, args.common));
  if (!args.save_universal.empty()) require_universal_stage(plan, args.save_universal);
  if (args.class_mixtures) require_universal_stage(plan, "--class-mixtures");
  ItemSource source(dataset);
  if (!args.features.empty()) source.use_features(args.features);
  const Progress progress = args.common.progress();

  const auto [items, left_out] = readable_items(
      plan.branches, source, items_of_part(dataset, Part::kTrain), progress, args.common);

  StageSeconds seconds;
  const Pipeline pipeline = fit_pipeline(
      plan, source, items, dataset.labels.select(items), args.common.seed, progress,
      {&seconds, args.keep_training, universal ? &*universal : nullptr, args.class_mixtures});
  if (!args.save_universal.empty())
    save_universal(plan.branches[0], pipeline.branches()[0], args.save_universal);
  pipeline.save(args.model);

  const FitStatistics* statistics = pipeline.classifier().statistics();
  double cross_validated = -1;
  if (statistics)
    for (const CvRow& row : statistics->table)
      if (row.C == statistics->C) cross_validated = row.score;
  if (statistics && statistics->indefinite)
    args.common.say(fmt::format(
        "the kernel matrix is not positive semi-definite: {} of {} eigenvalues are negative, the "
        "smallest is "
        "{:.3g}, the largest {:.3g}; it was treated as the classifier's option indefinite says",
        statistics->indefinite->negative, items.size(), statistics->indefinite->smallest_eigenvalue,
        statistics->indefinite->largest_eigenvalue));
  if (statistics && statistics->convergence && !statistics->convergence->reached)
    args.common.say(
        fmt::format("the solver stopped after {} steps with an error of {:.2g}, more than its "
                    "tolerance; raise max_steps "
                    "or tolerance, or lower C",
                    statistics->convergence->steps, statistics->convergence->violation));
  if (args.common.json) {
    nlohmann::ordered_json out{{"model", args.model},   {"recipe", plan.recipe().text()},
                               {"items", items.size()}, {"classes", pipeline.class_names()},
                               {"left_out", left_out},  {"seconds", seconds}};
    if (cross_validated >= 0) out["cross_validated"] = cross_validated;
    print_json(out);
  } else {
    fmt::print("trained on {} items of {} classes\n", items.size(), pipeline.class_names().size());
    if (cross_validated >= 0)
      fmt::print("{} by cross-validation: {:.1f} %\n",
                 pipeline.multi_label() ? "mean average precision" : "accuracy",
                 100 * cross_validated);
    fmt::print("model: {}\n", args.model);
  }
  return 0;
}

}  // namespace

Run add_train(CLI::App& app) {
  auto args = std::make_shared<TrainArguments>();
  app.add_option("DATA", args->data,
                 "class folders, train/test folders, a list file or a VOC folder")
      ->required();
  app.add_option("-o,--output", args->model, "the model file to write")->required();
  app.add_option("--features", args->features, kFeaturesHelp);
  app.add_flag("--keep-training", args->keep_training,
               "keep the training vectors in the model, so that muster add-class can use them; "
               "kernel machines "
               "always do, and with this keep their kernel matrix, which makes add-class quick");
  app.add_flag(
      "--class-mixtures", args->class_mixtures,
      "keep a mixture a class, adapted from the universal one, so that predict --reject goes by "
      "likelihood ratio instead of best score (fisher, supervector, ppk, klk)");
  app.add_option("--universal", args->universal, kUniversalHelp);
  app.add_option(
      "--save-universal", args->save_universal,
      "write the universal mixture and the reductions before it to this file, for --universal");
  args->choice.add_to(app);
  args->common.add_to(app);
  return [args] { return train(*args); };
}

}  // namespace muster::cli
