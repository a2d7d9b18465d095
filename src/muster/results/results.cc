#include "muster/results/results.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

void add_fact(const char* name, const std::string& value, Facts& out) {
  if (!value.empty()) out.emplace_back(name, value);
}

void add_fact(const char* name, const std::optional<size_t>& value, Facts& out) {
  if (value) out.emplace_back(name, fmt::format("{}", *value));
}

}  // namespace

std::optional<double> seconds_of(const StageTimes& times, std::string_view stage) {
  const auto it = std::ranges::find(times, stage, [](const auto& entry) { return entry.first; });
  return it == times.end() ? std::nullopt : std::optional(it->second);
}

void add_seconds(StageTimes& times, const std::string& stage, double seconds) {
  const auto it = std::ranges::find(times, stage, [](const auto& entry) { return entry.first; });
  if (it == times.end())
    times.emplace_back(stage, seconds);
  else
    it->second += seconds;
}

std::optional<double> MethodResult::deciding_mean() const {
  return mean_of(measures.accuracy ? measures.accuracy : measures.map);
}

std::vector<double> MethodResult::deciding_values() const {
  std::vector<double> values;
  for (const SplitResult& split : splits) {
    const Measures<double>& of_split = split.measures;
    if (const auto value = of_split.accuracy ? of_split.accuracy : of_split.map)
      values.push_back(*value);
  }
  return values;
}

Facts facts_of(const DataFacts& data) {
  Facts out;
  add_fact("path", data.path, out);
  add_fact("items", data.items, out);
  add_fact("classes", data.classes, out);
  add_fact("left out", fmt::format("{}", fmt::join(data.left_out, ", ")), out);
  add_fact("notes", fmt::format("{}", fmt::join(data.notes, ", ")), out);
  add_fact("key", data.key, out);
  return out;
}

Facts facts_of(const MachineFacts& machine) {
  Facts out;
  add_fact("cpu", machine.cpu, out);
  add_fact("cores", machine.cores, out);
  add_fact("compiler", machine.compiler, out);
  return out;
}

bool Results::multi_label() const {
  return std::ranges::any_of(methods, [](const MethodResult& m) {
    return !m.measures.accuracy && (m.measures.map || m.measures.auc);
  });
}

const MethodResult* Results::best() const {
  const auto it = std::ranges::max_element(
      methods, {}, [](const MethodResult& m) { return m.deciding_mean().value_or(-1); });
  return it == methods.end() ? nullptr : &*it;
}

std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes) {
  std::vector<std::vector<int>> counts(num_classes, std::vector<int>(num_classes));
  for (const SplitResult& split : method.splits)
    for (const ItemPrediction& p : split.predictions)
      ++counts[static_cast<size_t>(p.label)][static_cast<size_t>(p.predicted)];
  return counts;
}

}  // namespace muster
