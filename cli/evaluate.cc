#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/evaluate/measures.h"
#include "muster/pipeline/pipeline.h"
#include "muster/report/tables.h"

namespace muster::cli {
namespace {

struct EvaluateArguments {
  Common common;
  std::string model, data;
};

// The data's labels in the model's numbering of classes; a class the model does not know is a data
// error.
Labels in_model_classes(const Labels& labels, const std::vector<std::string>& model_classes) {
  std::vector<int> number;
  for (const std::string& name : labels.class_names) {
    const auto found = std::ranges::find(model_classes, name);
    if (found == model_classes.end())
      throw data_error("the data has a class '{}' that the model does not know; it knows: {}", name,
                       fmt::join(model_classes, ", "));
    number.push_back(static_cast<int>(found - model_classes.begin()));
  }
  Labels out;
  out.class_names = model_classes;
  const auto renumber = [&](const std::vector<std::vector<int>>& lists) {
    std::vector<std::vector<int>> renumbered = lists;
    for (auto& list : renumbered) {
      for (int& label : list) label = number[static_cast<size_t>(label)];
      std::ranges::sort(list);
    }
    return renumbered;
  };
  out.of_item = renumber(labels.of_item);
  out.difficult = renumber(labels.difficult);
  return out;
}

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
  if (common.json) return;
  for (size_t k = 0; k < truth.class_names.size(); ++k)
    fmt::print("{:<20} AP {:5.1f} %  AUC {:.3f}\n", truth.class_names[k],
               100 * measures.average_precision[k], measures.auc[k]);
  fmt::print("mean average precision {:.1f} %, mean AUC {:.3f}\n", 100 * out["map"].get<double>(),
             out["auc"].get<double>());
}

int evaluate(const EvaluateArguments& args) {
  const auto threads = args.common.limit_threads();
  const Pipeline pipeline = Pipeline::load(args.model);
  const Dataset dataset = open_data(args.data, args.common);
  const Labels labels = in_model_classes(dataset.labels, pipeline.class_names());
  const ItemSource source(dataset);
  const Progress progress = args.common.progress();
  const auto [items, left_out] = readable_items(
      pipeline.plan(), source, items_of_part(dataset, Part::kTest), progress, args.common);
  const Matrix<double> scores = pipeline.scores(source, items, progress);
  const Labels truth = labels.select(items);
  nlohmann::ordered_json out{{"model", args.model},
                             {"items", items.size()},
                             {"left_out", left_out},
                             {"classes", pipeline.class_names()}};
  if (pipeline.multi_label())
    print_multi_label(truth, scores, out, args.common);
  else
    print_one_label(truth, scores, pipeline.classifier().probabilities(scores), out, args.common);
  if (args.common.json) print_json(out);
  return 0;
}

}  // namespace

Run add_evaluate(CLI::App& app) {
  auto args = std::make_shared<EvaluateArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train")->required();
  app.add_option("DATA", args->data, "labelled data; of train/test folders the test part")
      ->required();
  args->common.add_to(app);
  return [args] { return evaluate(*args); };
}

}  // namespace muster::cli
