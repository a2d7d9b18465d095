#include "muster/report/results.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"

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

void add_facts(const Json& value, const std::string& name, Facts& facts) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      add_facts(inner, name.empty() ? key : name + "." + key, facts);
  } else if (value.is_array()) {
    std::string joined;
    for (const Json& element : value) joined += (joined.empty() ? "" : ", ") + text(element);
    facts.emplace_back(name, joined);
  } else if (!value.is_null()) {
    facts.emplace_back(name.empty() ? "value" : name, text(value));
  }
}

Facts facts(const Json& record, const char* name) {
  Facts out;
  add_facts(member(record, name), "", out);
  return out;
}

int class_index(const Json& value, size_t num_classes, const std::string& where) {
  if (!value.is_number_integer() || value.get<int64_t>() < 0 ||
      value.get<int64_t>() >= static_cast<int64_t>(num_classes))
    refuse(where, "an index into class_names");
  return value.get<int>();
}

ScoredItem read_scored_item(const Json& entry, size_t num_classes, const std::string& where) {
  ScoredItem out;
  for (const Json& label : list(entry, "labels", where + "."))
    out.labels.push_back(class_index(label, num_classes, where + ".labels"));
  for (const Json& score : list(entry, "scores", where + ".")) {
    if (!score.is_number()) refuse(where + ".scores", "a list of numbers");
    out.scores.push_back(score.get<double>());
  }
  if (out.scores.size() != num_classes) refuse(where + ".scores", "one number a class");
  return out;
}

SplitResult read_split(const Json& record, size_t num_classes, const std::string& where) {
  if (!record.is_object()) refuse(where, "an object");
  SplitResult split;
  split.seed = text_or_empty(record, "seed");
  split.accuracy = number(record, "accuracy", where);
  split.mean_class_accuracy = number(record, "mean_class_accuracy", where);
  split.auc = number(record, "auc", where);
  split.map = number(record, "map", where);
  for (const Json& entry : list(record, "predictions", where + ".")) {
    const std::string here = where + ".predictions";
    if (!entry.is_object()) refuse(here, "a list of objects");
    if (entry.contains("scores"))
      split.scored.push_back(read_scored_item(entry, num_classes, here));
    const Json& label = member(entry, "label");
    if (label.is_null()) continue;
    Prediction prediction;
    prediction.item = text_or_empty(entry, "item");
    prediction.label = class_index(label, num_classes, here + ".label");
    prediction.predicted =
        class_index(member(entry, "predicted"), num_classes, here + ".predicted");
    prediction.confidence = number(entry, "confidence", here);
    split.predictions.push_back(std::move(prediction));
  }
  return split;
}

MethodResult read_method(const Json& record, size_t num_classes, const std::string& where) {
  if (!record.is_object()) refuse(where, "an object");
  if (!member(record, "method").is_string()) refuse(where + ".method", "a text");
  MethodResult method;
  method.method = text_or_empty(record, "method");
  method.group = text_or_empty(record, "group");
  method.series = record.contains("series") ? text_or_empty(record, "series") : method.method;
  method.recipe = text_or_empty(record, "recipe");
  const Json& splits = list(record, "splits", where + ".");
  for (size_t i = 0; i < splits.size(); ++i)
    method.splits.push_back(
        read_split(splits[i], num_classes, fmt::format("{}.splits[{}]", where, i)));
  method.accuracy_mean = number(record, "accuracy_mean", where);
  method.accuracy_std = number(record, "accuracy_std", where);
  method.mean_class_accuracy_mean = number(record, "mean_class_accuracy_mean", where);
  method.auc_mean = number(record, "auc_mean", where);
  method.map_mean = number(record, "map_mean", where);
  method.peak_memory_mib = number(record, "peak_memory_mib", where);
  method.map_11_point_mean = number(record, "map_11_point_mean", where);
  for (const Json& row : list(record, "labels", where + ".")) {
    const std::string here = where + ".labels";
    if (!row.is_object()) refuse(here, "a list of objects");
    method.labels.push_back({text_or_empty(row, "label"), number(row, "auc_mean", here),
                             number(row, "average_precision_mean", here),
                             number(row, "average_precision_11_point_mean", here)});
  }
  const Json& seconds = entries(record, "seconds", where + ".");
  for (const auto& [stage, unused] : seconds.items())
    if (const auto value = number(seconds, stage.c_str(), where + ".seconds"))
      method.seconds.emplace_back(stage, *value);
  return method;
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

// 1 + 4 + 16 + ... values as levels; none where the number is another.
std::vector<std::vector<double>> as_levels(const std::vector<double>& values) {
  std::vector<std::vector<double>> levels;
  size_t begin = 0;
  for (size_t cells = 1; begin < values.size(); cells *= 4) {
    if (begin + cells > values.size()) return {};
    levels.emplace_back(values.begin() + static_cast<long>(begin),
                        values.begin() + static_cast<long>(begin + cells));
    begin += cells;
  }
  return levels;
}

// Of every branch of kernels that were weighed, the means over splits: its share beside the others,
// and the weights of its cells where they make a pyramid.
void add_kernel_shares(const Json& method, Results& results) {
  std::vector<BranchShareRow> rows;
  std::vector<std::vector<double>> parts;
  size_t count = 0;
  for (const Json& split : list(method, "splits", "results.")) {
    const Json& branches = list(split, "kernel_shares", "results.splits.");
    if (branches.empty()) continue;
    ++count;
    rows.resize(branches.size());
    parts.resize(branches.size());
    for (size_t b = 0; b < branches.size(); ++b) {
      rows[b].branch = text_or_empty(branches[b], "branch");
      rows[b].share += number(branches[b], "share", "results.splits.kernel_shares").value_or(0);
      const auto weights =
          list(branches[b], "parts", "results.splits.kernel_shares.").get<std::vector<double>>();
      parts[b].resize(weights.size());
      for (size_t i = 0; i < weights.size(); ++i) parts[b][i] += weights[i];
    }
  }
  for (size_t b = 0; b < rows.size(); ++b) {
    rows[b].method = text_or_empty(method, "method");
    rows[b].share /= static_cast<double>(count);
    for (double& weight : parts[b]) weight /= static_cast<double>(count);
    if (auto levels = as_levels(parts[b]); levels.size() > 1)
      results.weight_maps.push_back(
          {rows.size() > 1 ? rows[b].method + ": " + rows[b].branch : rows[b].method,
           std::move(levels)});
    if (rows.size() > 1) results.branch_shares.push_back(rows[b]);
  }
}

Picture read_picture(const Json& picture, const std::string&) {
  return {text_or_empty(picture, "title"), text_or_empty(picture, "caption"),
          text_or_empty(picture, "source")};
}

}  // namespace

std::optional<double> MethodResult::seconds_of(const std::string& name) const {
  const auto it = std::ranges::find(seconds, name, [](const auto& entry) { return entry.first; });
  return it == seconds.end() ? std::nullopt : std::optional(it->second);
}

bool Results::multi_label() const {
  return std::ranges::any_of(methods, [](const MethodResult& m) {
    return !m.accuracy_mean && (m.map_mean || m.auc_mean);
  });
}

const MethodResult* Results::best() const {
  const auto value = [](const MethodResult& m) {
    return m.accuracy_mean.value_or(m.map_mean.value_or(-1));
  };
  const auto it = std::ranges::max_element(methods, {}, value);
  return it == methods.end() ? nullptr : &*it;
}

Results read_results(const Json& record) {
  if (!record.is_object()) refuse("(whole)", "an object");
  if (!member(record, "results").is_array()) refuse("results", "a list");
  Results results;
  results.version = text_or_empty(record, "version");
  results.seed = text_or_empty(record, "seed");
  results.title = text_or_empty(record, "title");
  for (const Json& note : list(record, "notes", "")) results.notes.push_back(text(note));
  for (const Json& name : list(record, "class_names", ""))
    results.class_names.push_back(text(name));
  results.data = facts(record, "data");
  results.protocol = facts(record, "protocol");
  results.machine = facts(record, "machine");
  const Json& methods = member(record, "results");
  for (size_t i = 0; i < methods.size(); ++i)
    results.methods.push_back(
        read_method(methods[i], results.class_names.size(), fmt::format("results[{}]", i)));
  for (const auto& [item, picture] : entries(record, "thumbnails", "").items())
    results.thumbnails[item] = text(picture);
  results.comparison = read_objects<ComparisonRow>(record, "comparison", "", read_comparison);
  results.curves = read_objects<Curve>(record, "curves", "", read_curve);
  results.weight_maps = read_objects<WeightMap>(record, "weight_maps", "", read_weight_map);
  for (const Json& method : methods) add_kernel_shares(method, results);
  results.pictures = read_objects<Picture>(record, "pictures", "", read_picture);
  return results;
}

std::vector<double> deciding_values(const MethodResult& method) {
  std::vector<double> values;
  for (const SplitResult& split : method.splits)
    if (const auto value = split.accuracy ? split.accuracy : split.map) values.push_back(*value);
  return values;
}

std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes) {
  std::vector<std::vector<int>> counts(num_classes, std::vector<int>(num_classes));
  for (const SplitResult& split : method.splits)
    for (const Prediction& p : split.predictions)
      ++counts[static_cast<size_t>(p.label)][static_cast<size_t>(p.predicted)];
  return counts;
}

}  // namespace muster
