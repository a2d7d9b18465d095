#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/report/tables.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvaluateArguments {
  Common common;
  CacheChoice cache{.folder = "none"};
  std::string model, data;
};

int position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int>(std::ranges::find(names, name) - names.begin());
}

void print_one_label(const Evaluation& result) {
  MethodResult table;
  table.splits.emplace_back();
  for (const Evaluation::Item& item : result.items) {
    const std::vector<double>& scores = item.prediction.scores();
    table.splits[0].predictions.push_back(
        {"", position(result.class_names, item.truth[0]),
         static_cast<int>(std::ranges::max_element(scores) - scores.begin()),
         item.prediction.probability()});
  }
  print_result("{}", confusion_table(table, result.class_names));
  print_result("accuracy {:.1f} %, mean over classes {:.1f} %\n", 100 * result.accuracy,
               100 * result.mean_class_accuracy);
}

void print_multi_label(const Evaluation& result) {
  MethodResult table;
  for (const Evaluation::Label& label : result.labels)
    table.labels.push_back(
        {label.name, label.auc, label.average_precision, label.average_precision_11_point});
  print_result("{}", label_table(table));
  print_result("mean AUC {:.3f}, mean average precision {:.1f} % ({:.1f} % by eleven points)\n",
               result.mean_auc, 100 * result.mean_average_precision,
               100 * result.mean_average_precision_11_point);
  if (result.mean_inferred_average_precision)
    print_result(
        "mean inferred average precision {:.1f} %: labels that are not judged are guessed\n",
        100 * *result.mean_inferred_average_precision);
}

Json to_json(const EvaluateArguments& args, const Evaluation& result) {
  std::vector<std::string> left_out;
  for (const LeftOut& item : result.left_out) left_out.push_back(item.reason);
  Json out{{"model", args.model},
           {"items", result.items.size()},
           {"left_out", left_out},
           {"classes", result.class_names}};
  if (result.labels.empty()) {
    out["accuracy"] = result.accuracy;
    out["mean_class_accuracy"] = result.mean_class_accuracy;
    out["confusion"] = result.confusion;
    return out;
  }
  out["map"] = result.mean_average_precision;
  out["map_11_point"] = result.mean_average_precision_11_point;
  out["auc"] = result.mean_auc;
  const bool inferred = result.mean_inferred_average_precision.has_value();
  if (inferred) out["inferred_map"] = *result.mean_inferred_average_precision;
  const auto json_of = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  for (const Evaluation::Label& label : result.labels) {
    out["labels"].push_back(
        {{"label", label.name},
         {"auc", json_of(label.auc)},
         {"average_precision", json_of(label.average_precision)},
         {"average_precision_11_point", json_of(label.average_precision_11_point)}});
    if (inferred)
      out["labels"].back()["inferred_average_precision"] =
          json_of(label.inferred_average_precision);
  }
  return out;
}

int evaluate(const EvaluateArguments& args) {
  RunOptions options = args.common.run_options();
  args.cache.apply_to(options.source);
  const Evaluation result = load(args.model).evaluate(args.data, options);
  if (args.common.json)
    print_json(to_json(args, result));
  else if (result.labels.empty())
    print_one_label(result);
  else
    print_multi_label(result);
  return 0;
}

}  // namespace

Run add_evaluate(CLI::App& app) {
  auto args = std::make_shared<EvaluateArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train, fuse or add-class")
      ->required();
  app.add_option("DATA", args->data, "labelled data; of train/test folders the test part")
      ->required();
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return evaluate(*args); };
}

}  // namespace muster::cli
