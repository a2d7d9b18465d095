#include "muster/experiment/split_measures.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "muster/evaluate/measures.h"
#include "muster/evaluate/statistics.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// The measures of a label, as a split names its lists of them and a concept's split names its own.
struct LabelMeasure {
  const char* list;
  const char* single;
};
constexpr LabelMeasure kLabelMeasures[] = {
    {"auc_per_label", "auc"},
    {"average_precision_per_label", "average_precision"},
    {"average_precision_11_point_per_label", "average_precision_11_point"}};

Json one_label_measures(const Dataset& dataset, std::span<const size_t> items, const Labels& truth,
                        MatrixView<const double> scores, MatrixView<const double> probabilities) {
  const std::vector<int> predicted = predicted_classes(scores), expected = true_classes(truth);
  Json out{{"accuracy", accuracy(expected, predicted)},
           {"mean_class_accuracy", mean_class_accuracy(expected, predicted, truth.num_classes())}};
  if (truth.num_classes() == 2) {
    std::vector<double> column(scores.rows);
    std::vector<int> targets(scores.rows);
    for (size_t i = 0; i < scores.rows; ++i) {
      column[i] = scores(i, 1);
      targets[i] = expected[i] == 1 ? 1 : -1;
    }
    out["auc"] = roc_auc(column, targets);
    out["average_precision"] = average_precision(column, targets);
    out["average_precision_11_point"] = average_precision_11_point(column, targets);
  }
  Json& predictions = out["predictions"] = Json::array();
  for (size_t i = 0; i < items.size(); ++i)
    predictions.push_back({{"item", dataset.items[items[i]].name},
                           {"label", expected[i]},
                           {"predicted", predicted[i]},
                           {"confidence", probabilities(i, static_cast<size_t>(predicted[i]))}});
  return out;
}

Json multi_label_measures(const Dataset& dataset, std::span<const size_t> items,
                          const Labels& truth, MatrixView<const double> scores) {
  const LabelMeasures measures = label_measures(scores, truth);
  const auto list = [](const std::vector<double>& values) {
    Json out = Json::array();
    for (double value : values) out.push_back(std::isnan(value) ? Json() : Json(value));
    return out;
  };
  Json out{{"auc", mean_of_defined(measures.auc)},
           {"map", mean_of_defined(measures.average_precision)},
           {"map_11_point", mean_of_defined(measures.average_precision_11_point)},
           {"auc_per_label", list(measures.auc)},
           {"average_precision_per_label", list(measures.average_precision)},
           {"average_precision_11_point_per_label", list(measures.average_precision_11_point)}};
  Json& predictions = out["predictions"] = Json::array();
  for (size_t i = 0; i < items.size(); ++i) {
    Json prediction{{"item", dataset.items[items[i]].name}, {"labels", truth.of_item[i]}};
    if (!truth.difficult.empty() && !truth.difficult[i].empty())
      prediction["difficult"] = truth.difficult[i];
    prediction["scores"] = std::vector<double>(scores.row(i).begin(), scores.row(i).end());
    predictions.push_back(std::move(prediction));
  }
  return out;
}

std::vector<double> numbers(const std::vector<Json>& splits, const char* name) {
  std::vector<double> out;
  for (const Json& split : splits)
    if (split.contains(name) && split[name].is_number()) out.push_back(split[name]);
  return out;
}

void put_spread(Json& out, const char* name, const std::vector<double>& values) {
  if (values.empty()) return;
  const Spread spread = spread_of(values);
  out[fmt::format("{}_mean", name)] = spread.mean;
  out[fmt::format("{}_std", name)] = spread.deviation;
  out[fmt::format("{}_interval", name)] = {spread.low, spread.high};
}

// The values of one measure of one label, over the splits that have it.
std::vector<double> of_label(const std::vector<Json>& splits, const LabelMeasure& measure,
                             size_t label, const std::string& name) {
  std::vector<double> out;
  for (const Json& split : splits) {
    Json value;
    if (split.contains(measure.list) && label < split[measure.list].size())
      value = split[measure.list][label];
    else if (split.value("concept", "") == name && split.contains(measure.single))
      value = split[measure.single];
    if (value.is_number()) out.push_back(value);
  }
  return out;
}

Json label_rows(const std::vector<Json>& splits, const std::vector<std::string>& class_names) {
  Json rows = Json::array();
  for (size_t k = 0; k < class_names.size(); ++k) {
    Json row{{"label", class_names[k]}};
    for (const LabelMeasure& measure : kLabelMeasures) {
      const std::vector<double> values = of_label(splits, measure, k, class_names[k]);
      if (!values.empty()) row[fmt::format("{}_mean", measure.single)] = mean_of_defined(values);
    }
    if (row.size() > 1) rows.push_back(std::move(row));
  }
  return rows;
}

// Of splits about one concept each: the mean over the concepts, a value a seed.
std::vector<double> means_by_seed(const std::vector<Json>& splits, const char* name) {
  std::map<uint64_t, std::vector<double>> of_seed;
  for (const Json& split : splits)
    if (split.contains("concept") && split.contains(name) && split[name].is_number())
      of_seed[split["seed"]].push_back(split[name]);
  std::vector<double> out;
  for (const auto& [seed, values] : of_seed) out.push_back(mean_of_defined(values));
  return out;
}

}  // namespace

Json split_measures(const Dataset& dataset, std::span<const size_t> items, const Labels& truth,
                    MatrixView<const double> scores, MatrixView<const double> probabilities) {
  return truth.single_label() ? one_label_measures(dataset, items, truth, scores, probabilities)
                              : multi_label_measures(dataset, items, truth, scores);
}

Json mean_measures(const std::vector<Json>& splits, const std::vector<std::string>& class_names) {
  Json out = Json::object();
  for (const char* name : {"accuracy", "mean_class_accuracy", "auc", "map", "map_11_point",
                           "average_precision", "average_precision_11_point"})
    put_spread(out, name, numbers(splits, name));
  put_spread(out, "map", means_by_seed(splits, "average_precision"));
  put_spread(out, "map_11_point", means_by_seed(splits, "average_precision_11_point"));
  if (Json rows = label_rows(splits, class_names); !rows.empty()) out["labels"] = std::move(rows);
  return out;
}

}  // namespace muster
