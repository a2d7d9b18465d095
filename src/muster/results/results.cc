#include "muster/results/results.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

std::string number_text(const std::optional<size_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// Those that are known.
Facts present(Facts facts) {
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
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
  return present({{"path", data.path},
                  {"items", number_text(data.items)},
                  {"classes", number_text(data.classes)},
                  {"left out", fmt::format("{}", fmt::join(data.left_out, ", "))},
                  {"notes", fmt::format("{}", fmt::join(data.notes, ", "))},
                  {"key", data.key}});
}

Facts facts_of(const MachineFacts& machine) {
  return present({{"cpu", machine.cpu},
                  {"cores", number_text(machine.cores)},
                  {"compiler", machine.compiler}});
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
