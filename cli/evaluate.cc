#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/evaluate/measures.h"
#include "muster/pipeline/model.h"
#include "muster/report/tables.h"

namespace muster::cli {
namespace {

struct EvaluateArguments {
  Common common;
  std::string model, data;
};

void print_one_label(const Labels& truth, const Matrix<double>& scores,
                     const Matrix<double>& probabilities, nlohmann::ordered_json& out,
                     const Common& common) {
  const std::vector<int> expected = true_classes(truth), predicted = predicted_classes(scores);
  out["accuracy"] = accuracy(expected, predicted);
  out["mean_class_accuracy"] = mean_class_accuracy(expected, predicted, truth.num_classes());
  MethodResult method;
  method.splits.emplace_back();
  for (size_t i = 0; i < expected.size(); ++i)
    method.splits[0].predictions.push_back(
        {"", expected[i], predicted[i], probabilities(i, static_cast<size_t>(predicted[i]))});
  out["confusion"] = confusion_counts(method, truth.class_names.size());
  if (common.json) return;
  fmt::print("{}", confusion_table(method, truth.class_names));
  fmt::print("accuracy {:.1f} %, mean over classes {:.1f} %\n", 100 * out["accuracy"].get<double>(),
             100 * out["mean_class_accuracy"].get<double>());
}

void print_multi_label(const Labels& truth, const Matrix<double>& scores,
                       nlohmann::ordered_json& out, const Common& common) {
  const LabelMeasures measures = label_measures(scores, truth);
  out["map"] = mean_of_defined(measures.average_precision);
  out["map_11_point"] = mean_of_defined(measures.average_precision_11_point);
  out["auc"] = mean_of_defined(measures.auc);
  const auto defined = [](double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
  };
  const auto json_of = [](std::optional<double> value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  MethodResult table;
  for (size_t k = 0; k < truth.class_names.size(); ++k) {
    const LabelResult row{truth.class_names[k], defined(measures.auc[k]),
                          defined(measures.average_precision[k]),
                          defined(measures.average_precision_11_point[k])};
    out["labels"].push_back(
        {{"label", row.label},
         {"auc", json_of(row.auc)},
         {"average_precision", json_of(row.average_precision)},
         {"average_precision_11_point", json_of(row.average_precision_11_point)}});
    table.labels.push_back(row);
  }
  if (common.json) return;
  fmt::print("{}", label_table(table));
  fmt::print("mean AUC {:.3f}, mean average precision {:.1f} % ({:.1f} % by eleven points)\n",
             out["auc"].get<double>(), 100 * out["map"].get<double>(),
             100 * out["map_11_point"].get<double>());
}

int evaluate(const EvaluateArguments& args) {
  const auto threads = args.common.limit_threads();
  const Model model = Model::load(args.model);
  const Dataset dataset = open_data(args.data, args.common);
  const Labels labels = in_model_classes(dataset.labels, model.class_names());
  if (!model.multi_label() && !labels.single_label())
    throw data_error(
        "{}: its items have several labels, but the model was trained on data with one label an "
        "item",
        args.data);
  const ItemSource source(dataset);
  const Progress progress = args.common.progress();
  const auto [items, left_out] = readable_items(
      model.branches(), source, items_of_part(dataset, Part::kTest), progress, args.common);
  const Scored scored = model.score(source, items, progress);
  const Labels truth = labels.select(items);
  nlohmann::ordered_json out{{"model", args.model},
                             {"items", items.size()},
                             {"left_out", left_out},
                             {"classes", model.class_names()}};
  if (model.multi_label())
    print_multi_label(truth, scored.scores, out, args.common);
  else
    print_one_label(truth, scored.scores, scored.probabilities, out, args.common);
  if (args.common.json) print_json(out);
  return 0;
}

}  // namespace

Run add_evaluate(CLI::App& app) {
  auto args = std::make_shared<EvaluateArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train, fuse or add-class")
      ->required();
  app.add_option("DATA", args->data, "labelled data; of train/test folders the test part")
      ->required();
  args->common.add_to(app);
  return [args] { return evaluate(*args); };
}

}  // namespace muster::cli
