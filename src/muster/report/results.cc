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

SplitResult read_split(const Json& record, size_t num_classes, const std::string& where) {
  if (!record.is_object()) refuse(where, "an object");
  SplitResult split;
  split.seed = text_or_empty(record, "seed");
  split.accuracy = number(record, "accuracy", where);
  split.mean_class_accuracy = number(record, "mean_class_accuracy", where);
  for (const Json& entry : list(record, "predictions", where + ".")) {
    const std::string here = where + ".predictions";
    if (!entry.is_object()) refuse(here, "a list of objects");
    const Json& label = member(entry, "label");
    if (label.is_null() || label.is_array()) continue;  // multi-label
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

}  // namespace

std::optional<double> MethodResult::seconds_of(const std::string& name) const {
  const auto it = std::ranges::find(seconds, name, [](const auto& entry) { return entry.first; });
  return it == seconds.end() ? std::nullopt : std::optional(it->second);
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
  return results;
}

std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes) {
  std::vector<std::vector<int>> counts(num_classes, std::vector<int>(num_classes));
  for (const SplitResult& split : method.splits)
    for (const Prediction& p : split.predictions)
      ++counts[static_cast<size_t>(p.label)][static_cast<size_t>(p.predicted)];
  return counts;
}

}  // namespace muster
