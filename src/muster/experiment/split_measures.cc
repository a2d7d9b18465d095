#include "muster/experiment/split_measures.h"

#include <cmath>
#include <map>

#include "muster/evaluate/measures.h"
#include "muster/evaluate/statistics.h"

namespace muster {
namespace {

using PerLabel = std::vector<std::optional<double>>;

// The measures of a label: as a list per split, as the split of one concept has them, and as the
// means have them.
struct LabelMeasure {
  PerLabel SplitResult::*list;
  std::optional<double> Measures<double>::*single;
  std::optional<double> LabelResult::*mean;
};
constexpr LabelMeasure kLabelMeasures[] = {
    {&SplitResult::auc_per_label, &Measures<double>::auc, &LabelResult::auc},
    {&SplitResult::average_precision_per_label, &Measures<double>::average_precision,
     &LabelResult::average_precision},
    {&SplitResult::average_precision_11_point_per_label,
     &Measures<double>::average_precision_11_point, &LabelResult::average_precision_11_point}};

std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

PerLabel defined(const std::vector<double>& values) {
  PerLabel out;
  for (const double value : values) out.push_back(defined(value));
  return out;
}

SplitResult one_label_measures(const Dataset& dataset, std::span<const size_t> items,
                               const Labels& truth, MatrixView<const double> scores,
                               MatrixView<const double> probabilities) {
  const std::vector<int> predicted = predicted_classes(scores), expected = true_classes(truth);
  SplitResult out;
  out.measures.accuracy = defined(accuracy(expected, predicted));
  out.measures.mean_class_accuracy =
      defined(mean_class_accuracy(expected, predicted, truth.num_classes()));
  if (truth.num_classes() == 2) {
    std::vector<double> column(scores.rows);
    std::vector<int> targets(scores.rows);
    for (size_t i = 0; i < scores.rows; ++i) {
      column[i] = scores(i, 1);
      targets[i] = expected[i] == 1 ? 1 : -1;
    }
    out.measures.auc = defined(roc_auc(column, targets));
    out.measures.average_precision = defined(average_precision(column, targets));
    out.measures.average_precision_11_point = defined(average_precision_11_point(column, targets));
  }
  for (size_t i = 0; i < items.size(); ++i)
    out.predictions.push_back({dataset.items[items[i]].name, expected[i], predicted[i],
                               probabilities(i, static_cast<size_t>(predicted[i]))});
  return out;
}

SplitResult multi_label_measures(const Dataset& dataset, std::span<const size_t> items,
                                 const Labels& truth, MatrixView<const double> scores) {
  const LabelMeasures measures = label_measures(scores, truth);
  SplitResult out;
  out.measures.auc = defined(mean_of_defined(measures.auc));
  out.measures.map = defined(mean_of_defined(measures.average_precision));
  out.measures.map_11_point = defined(mean_of_defined(measures.average_precision_11_point));
  out.measures.inferred_map = defined(mean_of_defined(measures.inferred_average_precision));
  out.auc_per_label = defined(measures.auc);
  out.average_precision_per_label = defined(measures.average_precision);
  out.average_precision_11_point_per_label = defined(measures.average_precision_11_point);
  for (size_t i = 0; i < items.size(); ++i)
    out.scored.push_back({dataset.items[items[i]].name,
                          truth.of_item[i],
                          truth.difficult.empty() ? std::vector<int>() : truth.difficult[i],
                          {scores.row(i).begin(), scores.row(i).end()}});
  return out;
}

std::optional<MeasureSummary> summary_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const Spread spread = spread_of(values);
  return MeasureSummary{spread.mean, spread.deviation, spread.low, spread.high};
}

// The values of one measure of one label, over the splits that have it.
std::vector<double> of_label(const std::vector<SplitResult>& splits, const LabelMeasure& measure,
                             size_t label, const std::string& name) {
  std::vector<double> out;
  for (const SplitResult& split : splits) {
    const PerLabel& list = split.*measure.list;
    std::optional<double> value;
    if (label < list.size())
      value = list[label];
    else if (split.concept_name == name)
      value = split.measures.*measure.single;
    if (value) out.push_back(*value);
  }
  return out;
}

// Of splits about one concept each: the mean over the concepts, one value per seed.
std::vector<double> means_by_seed(const std::vector<SplitResult>& splits,
                                  std::optional<double> Measures<double>::*measure) {
  std::map<uint64_t, std::vector<double>> of_seed;
  for (const SplitResult& split : splits)
    if (const auto& value = split.measures.*measure; value && !split.concept_name.empty())
      of_seed[split.seed.value_or(0)].push_back(*value);
  std::vector<double> out;
  out.reserve(of_seed.size());
  for (const auto& [seed, values] : of_seed) out.push_back(mean_of_defined(values));
  return out;
}

}  // namespace

SplitResult split_measures(const Dataset& dataset, std::span<const size_t> items,
                           const Labels& truth, MatrixView<const double> scores,
                           MatrixView<const double> probabilities) {
  return truth.single_label() ? one_label_measures(dataset, items, truth, scores, probabilities)
                              : multi_label_measures(dataset, items, truth, scores);
}

Measures<MeasureSummary> mean_measures(const std::vector<SplitResult>& splits) {
  Measures<MeasureSummary> out;
  constexpr auto kOfSplit = Measures<double>::named();
  constexpr auto kMeans = Measures<MeasureSummary>::named();
  for (size_t m = 0; m < kOfSplit.size(); ++m) {
    std::vector<double> values;
    for (const SplitResult& split : splits)
      if (const auto& value = split.measures.*kOfSplit[m].member) values.push_back(*value);
    out.*kMeans[m].member = summary_of(values);
  }
  const auto by_area = means_by_seed(splits, &Measures<double>::average_precision);
  const auto by_points = means_by_seed(splits, &Measures<double>::average_precision_11_point);
  if (!by_area.empty()) out.map = summary_of(by_area);
  if (!by_points.empty()) out.map_11_point = summary_of(by_points);
  return out;
}

std::vector<LabelResult> mean_of_labels(const std::vector<SplitResult>& splits,
                                        const std::vector<std::string>& class_names) {
  std::vector<LabelResult> rows;
  for (size_t k = 0; k < class_names.size(); ++k) {
    LabelResult row{class_names[k], {}, {}, {}};
    bool any = false;
    for (const LabelMeasure& measure : kLabelMeasures) {
      const std::vector<double> values = of_label(splits, measure, k, class_names[k]);
      if (values.empty()) continue;
      row.*measure.mean = mean_of_defined(values);
      any = true;
    }
    if (any) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace muster
