#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "commands.h"
#include "common.h"
#include "muster/classify/cross_validation.h"
#include "muster/pipeline/pipeline.h"

namespace muster::cli {
namespace {

constexpr const char* kDefaultMethod = "bow-linear";

struct TrainArguments {
  Common common;
  MethodChoice choice;
  std::string data, model;
};

// The items to train on: those marked for training where the data says so, all others else.
std::vector<size_t> training_items(const Dataset& dataset) {
  std::vector<size_t> marked, all(dataset.items.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (size_t i : all)
    if (dataset.items[i].part == Part::kTrain) marked.push_back(i);
  return marked.empty() ? all : marked;
}

int train(const TrainArguments& args) {
  const auto threads = args.common.limit_threads();
  check_output(args.model);
  const Dataset dataset = open_data(args.data, args.common);
  const Plan plan = plan_recipe(fit_to_data(args.choice.resolve(kDefaultMethod), dataset.kind, args.common));
  const ItemSource source(dataset);
  const Progress progress = args.common.progress();

  std::set<size_t> bad;
  std::vector<std::string> left_out;
  const std::vector<size_t> wanted = training_items(dataset);
  for (const BranchPlan& branch : plan.branches)
    for (const ItemFailure& failure : source.prepare(branch.extractor, wanted, progress))
      if (bad.insert(failure.item).second) left_out.push_back(failure.reason);
  say_left_out(left_out, args.common);
  std::vector<size_t> items;
  for (size_t i : wanted)
    if (!bad.contains(i)) items.push_back(i);
  if (items.empty()) throw data_error("{}: not a single item of {} can be read", args.data, wanted.size());

  StageSeconds seconds;
  const Pipeline pipeline =
      fit_pipeline(plan, source, items, dataset.labels.select(items), args.common.seed, progress, &seconds);
  pipeline.save(args.model);

  const FitStatistics* statistics = pipeline.classifier().statistics();
  double cross_validated = -1;
  if (statistics)
    for (const CvRow& row : statistics->table)
      if (row.C == statistics->C) cross_validated = row.score;
  if (args.common.json) {
    nlohmann::ordered_json out{{"model", args.model}, {"recipe", plan.recipe().text()}, {"items", items.size()},
                               {"classes", pipeline.class_names()}, {"left_out", left_out}, {"seconds", seconds}};
    if (cross_validated >= 0) out["cross_validated"] = cross_validated;
    print_json(out);
  } else {
    fmt::print("trained on {} items of {} classes\n", items.size(), pipeline.class_names().size());
    if (cross_validated >= 0)
      fmt::print("{} by cross-validation: {:.1f} %\n",
                 pipeline.multi_label() ? "mean average precision" : "accuracy", 100 * cross_validated);
    fmt::print("model: {}\n", args.model);
  }
  return 0;
}

}  // namespace

Run add_train(CLI::App& app) {
  auto args = std::make_shared<TrainArguments>();
  app.add_option("DATA", args->data, "class folders, train/test folders, a list file or a VOC folder")->required();
  app.add_option("-o,--output", args->model, "the model file to write")->required();
  args->choice.add_to(app);
  args->common.add_to(app);
  return [args] { return train(*args); };
}

}  // namespace muster::cli
