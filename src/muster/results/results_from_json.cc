#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/results/results_json.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& field, const char* expected) {
  throw data_error("results record: field '{}' must be {}; was the file written by 'muster bench'?",
                   field, expected);
}

const Json& member(const Json& object, const char* name) {
  static const Json kMissing;
  const auto it = object.find(name);
  return it == object.end() ? kMissing : *it;
}

std::string text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_or_empty(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_null() ? std::string() : text(value);
}

std::optional<double> number(const Json& object, const char* name, const std::string& where) {
  const Json& value = member(object, name);
  if (value.is_null()) return std::nullopt;  // JSON writes NaN as null, too
  if (!value.is_number()) refuse(where + "." + name, "a number");
  return value.get<double>();
}

const Json& list(const Json& object, const char* name, const std::string& where) {
  static const Json kEmpty = Json::array();
  const Json& value = member(object, name);
  if (value.is_null()) return kEmpty;
  if (!value.is_array()) refuse(where + name, "a list");
  return value;
}

const Json& entries(const Json& object, const char* name, const std::string& where) {
  static const Json kEmpty = Json::object();
  const Json& value = member(object, name);
  if (value.is_null()) return kEmpty;
  if (!value.is_object()) refuse(where + name, "an object");
  return value;
}

std::optional<size_t> count(const Json& object, const char* name, const std::string& where) {
  const Json& value = member(object, name);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<int64_t>() >= 0))
    refuse(where + name, "a whole number from 0 on");
  return value.get<size_t>();
}

std::vector<std::string> texts(const Json& object, const char* name, const std::string& where) {
  std::vector<std::string> out;
  for (const Json& value : list(object, name, where)) out.push_back(text(value));
  return out;
}

std::vector<double> numbers(const Json& object, const char* name, const std::string& where) {
  std::vector<double> out;
  for (const Json& value : list(object, name, where)) {
    if (!value.is_number()) refuse(where + name, "a list of numbers");
    out.push_back(value.get<double>());
  }
  return out;
}

// reader(element, where) for every element of a list of objects.
template <class Value, class Reader>
std::vector<Value> read_objects(const Json& record, const char* name, const std::string& where,
                                const Reader& reader) {
  std::vector<Value> out;
  const Json& elements = list(record, name, where);
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::string here = fmt::format("{}{}[{}]", where, name, i);
    if (!elements[i].is_object()) refuse(here, "an object");
    out.push_back(reader(elements[i], here));
  }
  return out;
}

int class_index(const Json& value, size_t num_classes, const std::string& where) {
  if (!value.is_number_integer() || value.get<int64_t>() < 0 ||
      value.get<int64_t>() >= static_cast<int64_t>(num_classes))
    refuse(where, "an index into class_names");
  return value.get<int>();
}

std::vector<int> classes(const Json& object, const char* name, size_t num_classes,
                         const std::string& where) {
  std::vector<int> out;
  for (const Json& label : list(object, name, where))
    out.push_back(class_index(label, num_classes, where + name));
  return out;
}

ScoredItem read_scored_item(const Json& entry, size_t num_classes, const std::string& where) {
  ScoredItem out{text_or_empty(entry, "item"), classes(entry, "labels", num_classes, where + "."),
                 classes(entry, "difficult", num_classes, where + "."),
                 numbers(entry, "scores", where + ".")};
  if (out.scores.size() != num_classes) refuse(where + ".scores", "one number per class");
  return out;
}

void read_predictions(const Json& record, size_t num_classes, const std::string& where,
                      SplitResult& split) {
  for (const Json& entry : list(record, "predictions", where + ".")) {
    const std::string here = where + ".predictions";
    if (!entry.is_object()) refuse(here, "a list of objects");
    if (entry.contains("scores"))
      split.scored.push_back(read_scored_item(entry, num_classes, here));
    const Json& label = member(entry, "label");
    if (label.is_null()) continue;
    split.predictions.push_back(
        {text_or_empty(entry, "item"), class_index(label, num_classes, here + ".label"),
         class_index(member(entry, "predicted"), num_classes, here + ".predicted"),
         number(entry, "confidence", here)});
  }
}

StageTimes read_seconds(const Json& record, const std::string& where) {
  StageTimes out;
  const Json& seconds = entries(record, "seconds", where + ".");
  for (const auto& [stage, unused] : seconds.items())
    if (const auto value = number(seconds, stage.c_str(), where + ".seconds"))
      out.emplace_back(stage, *value);
  return out;
}

std::vector<std::optional<double>> per_label(const Json& record, const char* name,
                                             const std::string& where) {
  std::vector<std::optional<double>> out;
  for (const Json& value : list(record, name, where + ".")) {
    if (!value.is_number() && !value.is_null()) refuse(where + "." + name, "a list of numbers");
    out.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return out;
}

KernelShare read_share(const Json& share, const std::string& where) {
  return {text_or_empty(share, "branch"), number(share, "share", where).value_or(0),
          numbers(share, "parts", where + ".")};
}

void read_fit_statistics(const Json& record, const std::string& where, SplitResult& split) {
  split.C = number(record, "C", where);
  if (const Json& found = entries(record, "indefinite", where + "."); !found.empty()) {
    const std::string here = where + ".indefinite";
    split.indefinite = {number(found, "smallest_eigenvalue", here).value_or(0),
                        number(found, "largest_eigenvalue", here).value_or(0),
                        count(found, "negative", here + ".").value_or(0)};
  }
  if (const Json& solver = entries(record, "convergence", where + "."); !solver.empty()) {
    const std::string here = where + ".convergence";
    split.convergence = {static_cast<int>(count(solver, "steps", here + ".").value_or(0)),
                         number(solver, "violation", here).value_or(0),
                         member(solver, "reached") != Json(false)};
  }
}

// MEASURE_mean, MEASURE_std and MEASURE_interval, where they are.
std::optional<MeasureSummary> read_summary(const Json& record, const std::string& measure,
                                           const std::string& where) {
  const auto mean = number(record, (measure + "_mean").c_str(), where);
  if (!mean) return std::nullopt;
  MeasureSummary out{*mean, number(record, (measure + "_std").c_str(), where), {}, {}};
  const std::string name = measure + "_interval";
  const Json& interval = list(record, name.c_str(), where + ".");
  if (interval.size() == 2 && interval[0].is_number() && interval[1].is_number()) {
    out.low = interval[0].get<double>();
    out.high = interval[1].get<double>();
  }
  return out;
}

LabelResult read_label(const Json& row, const std::string& where) {
  return {text_or_empty(row, "label"), number(row, "auc_mean", where),
          number(row, "average_precision_mean", where),
          number(row, "average_precision_11_point_mean", where)};
}

MethodResult read_method(const Json& record, size_t num_classes, const std::string& where) {
  if (!record.is_object()) refuse(where, "an object");
  if (!member(record, "method").is_string()) refuse(where + ".method", "a text");
  MethodResult method;
  method.method = text_or_empty(record, "method");
  method.group = text_or_empty(record, "group");
  method.series = text_or_empty(record, "series");
  method.recipe = text_or_empty(record, "recipe");
  method.full_recipe = text_or_empty(record, "full_recipe");
  if (const Json& used = entries(record, "universal", where + "."); !used.empty())
    method.universal = {text_or_empty(used, "file"), text_or_empty(used, "checksum")};
  method.fused = texts(record, "fused", where + ".");
  method.weights = numbers(record, "weights", where + ".");
  for (const auto& measure : Measures<MeasureSummary>::named())
    method.measures.*measure.member = read_summary(record, measure.name, where);
  method.labels = read_objects<LabelResult>(record, "labels", where + ".", read_label);
  method.seconds = read_seconds(record, where);
  method.peak_memory_mib = number(record, "peak_memory_mib", where);
  const Json& splits = list(record, "splits", where + ".");
  for (size_t i = 0; i < splits.size(); ++i)
    method.splits.push_back(
        split_from_json(splits[i], num_classes, fmt::format("{}.splits[{}]", where, i)));
  return method;
}

DataFacts read_data(const Json& data) {
  return {text_or_empty(data, "path"),     count(data, "items", "data."),
          count(data, "classes", "data."), texts(data, "left_out", "data."),
          texts(data, "notes", "data."),   text_or_empty(data, "key")};
}

MachineFacts read_machine(const Json& machine) {
  return {text_or_empty(machine, "cpu"), count(machine, "cores", "machine."),
          text_or_empty(machine, "compiler")};
}

ReproducedExperiment read_experiment(const Json& experiment) {
  return {text_or_empty(experiment, "name"), text_or_empty(experiment, "paper"),
          text_or_empty(experiment, "title"), member(experiment, "quick") == Json(true),
          text_or_empty(experiment, "command")};
}

ComparisonRow read_comparison(const Json& row, const std::string& where) {
  ComparisonRow out;
  out.name = text_or_empty(row, "name");
  out.unit = text_or_empty(row, "unit");
  out.verdict = text_or_empty(row, "verdict");
  out.note = text_or_empty(row, "note");
  out.ours = number(row, "ours", where);
  out.ours_std = number(row, "ours_std", where);
  out.paper = number(row, "paper", where);
  out.paper_std = number(row, "paper_std", where);
  out.tolerance = number(row, "tolerance", where);
  return out;
}

CurvePoint read_point(const Json& point, const std::string& where) {
  const bool numbers = point.is_array() && (point.size() == 2 || point.size() == 4) &&
                       std::ranges::all_of(point, [](const Json& v) { return v.is_number(); });
  if (!numbers) refuse(where + ".points", "a list of [x, y] or [x, y, low, high]");
  CurvePoint out{point[0].get<double>(), point[1].get<double>(), {}, {}};
  if (point.size() == 4) {
    out.low = point[2].get<double>();
    out.high = point[3].get<double>();
  }
  return out;
}

CurveSeries read_series(const Json& series, const std::string& where) {
  CurveSeries out;
  out.name = text_or_empty(series, "name");
  out.paper = member(series, "paper") == Json(true);
  for (const Json& point : list(series, "points", where + "."))
    out.points.push_back(read_point(point, where));
  return out;
}

Curve read_curve(const Json& curve, const std::string& where) {
  const Json& x = entries(curve, "x", where + ".");
  const Json& y = entries(curve, "y", where + ".");
  return {text_or_empty(curve, "title"),
          text_or_empty(x, "label"),
          text_or_empty(y, "label"),
          text_or_empty(y, "unit"),
          member(x, "log") == Json(true),
          read_objects<CurveSeries>(curve, "series", where + ".", read_series)};
}

WeightMap read_weight_map(const Json& map, const std::string& where) {
  WeightMap out{text_or_empty(map, "title"), {}};
  size_t expected = 1;
  for (const Json& level : list(map, "levels", where + ".")) {
    const bool fits = level.is_array() && level.size() == expected &&
                      std::ranges::all_of(level, [](const Json& v) { return v.is_number(); });
    if (!fits) refuse(where + ".levels", "lists of 1, 4, 16, ... numbers");
    out.levels.push_back(level.get<std::vector<double>>());
    expected *= 4;
  }
  return out;
}

Picture read_picture(const Json& picture, const std::string&) {
  return {text_or_empty(picture, "title"), text_or_empty(picture, "caption"),
          text_or_empty(picture, "source")};
}

}  // namespace

SplitResult split_from_json(const Json& record, size_t num_classes, const std::string& where) {
  if (!record.is_object()) refuse(where, "an object");
  SplitResult split;
  split.seed = count(record, "seed", where + ".");
  split.concept_name = text_or_empty(record, "concept");
  for (const auto& measure : Measures<double>::named())
    split.measures.*measure.member = number(record, measure.name, where);
  split.auc_per_label = per_label(record, "auc_per_label", where);
  split.average_precision_per_label = per_label(record, "average_precision_per_label", where);
  split.average_precision_11_point_per_label =
      per_label(record, "average_precision_11_point_per_label", where);
  read_predictions(record, num_classes, where, split);
  split.seconds = read_seconds(record, where);
  split.recipe = text_or_empty(record, "recipe");
  split.estimate = number(record, "estimate", where);
  split.estimate_error = number(record, "estimate_error", where);
  read_fit_statistics(record, where, split);
  split.kernel_shares = read_objects<KernelShare>(record, "kernel_shares", where + ".", read_share);
  split.num_train = count(record, "num_train", where + ".");
  split.num_test = count(record, "num_test", where + ".");
  split.peak_memory_mib = number(record, "peak_memory_mib", where);
  return split;
}

Results results_from_json(const Json& record) {
  if (!record.is_object()) refuse("(whole)", "an object");
  if (!member(record, "results").is_array()) refuse("results", "a list");
  Results results;
  results.version = text_or_empty(record, "version");
  results.seed = count(record, "seed", "");
  results.title = text_or_empty(record, "title");
  results.notes = texts(record, "notes", "");
  results.class_names = texts(record, "class_names", "");
  if (record.contains("data")) results.data = read_data(entries(record, "data", ""));
  for (const auto& [name, value] : entries(record, "protocol", "").items())
    results.protocol.emplace_back(name, text(value));
  if (record.contains("machine")) results.machine = read_machine(entries(record, "machine", ""));
  const Json& methods = member(record, "results");
  for (size_t i = 0; i < methods.size(); ++i)
    results.methods.push_back(
        read_method(methods[i], results.class_names.size(), fmt::format("results[{}]", i)));
  for (const auto& [item, picture] : entries(record, "thumbnails", "").items())
    results.thumbnails[item] = text(picture);
  if (record.contains("experiment"))
    results.experiment = read_experiment(entries(record, "experiment", ""));
  results.comparison = read_objects<ComparisonRow>(record, "comparison", "", read_comparison);
  results.curves = read_objects<Curve>(record, "curves", "", read_curve);
  results.weight_maps = read_objects<WeightMap>(record, "weight_maps", "", read_weight_map);
  results.pictures = read_objects<Picture>(record, "pictures", "", read_picture);
  return results;
}

}  // namespace muster
