#include "muster/experiment/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/core/error.h"
#include "muster/core/options.h"

namespace muster {
namespace {

constexpr std::string_view kSeconds = "seconds.", kPerItem = "ms_per_item.";

// The classes of a run in the numbering of all; new ones are added to it.
std::vector<int> numbered(const std::vector<std::string>& names, std::vector<std::string>& all) {
  std::vector<int> out;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name);
    out.push_back(static_cast<int>(found - all.begin()));
    if (found == all.end()) all.push_back(name);
  }
  return out;
}

void renumber(const std::vector<int>& number, SplitResult& split) {
  for (ItemPrediction& prediction : split.predictions) {
    prediction.label = number[static_cast<size_t>(prediction.label)];
    prediction.predicted = number[static_cast<size_t>(prediction.predicted)];
  }
}

bool has_scored_items(const MeasuredRun& run) {
  return std::ranges::any_of(run.measured, [](const Measured& m) {
    return std::ranges::any_of(m.result.splits, [](const auto& s) { return !s.scored.empty(); });
  });
}

std::optional<MeasureSummary> per_item(const MethodResult& result, const std::string& stage) {
  const bool of_test = stage.starts_with("test");
  double seconds = 0, items = 0;
  for (const SplitResult& split : result.splits) {
    const auto time = seconds_of(split.seconds, stage);
    const auto& number = of_test ? split.num_test : split.num_train;
    if (!time || !number) return std::nullopt;
    seconds += *time;
    items += static_cast<double>(*number);
  }
  if (items == 0) return std::nullopt;
  return MeasureSummary{1000 * seconds / items, {}, {}, {}};
}

}  // namespace

std::optional<MeasureSummary> value_of(const MethodResult& result, const std::string& measure) {
  if (measure.starts_with(kSeconds)) {
    const auto seconds = seconds_of(result.seconds, measure.substr(kSeconds.size()));
    return seconds ? std::optional(MeasureSummary{*seconds, {}, {}, {}}) : std::nullopt;
  }
  if (measure.starts_with(kPerItem)) return per_item(result, measure.substr(kPerItem.size()));
  const auto summary = result.measures.find(measure);
  if (!summary || result.splits.size() > 1) return summary;
  return MeasureSummary{summary->mean, {}, {}, {}};
}

bool is_percent(const std::string& measure) {
  return measure != "auc" && !measure.starts_with(kSeconds) && !measure.starts_with(kPerItem);
}

std::string unit_of(const std::string& measure) {
  if (measure.starts_with(kSeconds)) return "seconds";
  if (measure.starts_with(kPerItem)) return "ms";
  return is_percent(measure) ? "percent" : "";
}

std::string label_of(const std::string& measure) {
  if (measure == "accuracy") return "Accuracy";
  if (measure == "mean_class_accuracy") return "Mean class accuracy";
  if (measure == "auc") return "AUC";
  if (measure == "map") return "Mean AP";
  if (measure.starts_with(kSeconds)) return "Seconds of " + measure.substr(kSeconds.size());
  if (measure.starts_with(kPerItem))
    return "Milliseconds per item of " + measure.substr(kPerItem.size());
  return measure;
}

std::optional<CurvePoint> curve_point(const MethodResult& result, const std::string& measure,
                                      double x) {
  const auto value = value_of(result, measure);
  if (!value) return std::nullopt;
  return CurvePoint{x, value->mean, value->low, value->high};
}

std::string full_name(const Measured& measured, const std::string& sweep_name) {
  std::string out = measured.part.empty() ? "" : measured.part + ": ";
  out += measured.method;
  if (measured.value) out += fmt::format(", {} = {}", sweep_name, number_text(*measured.value));
  return out;
}

Results merge_runs(std::vector<MeasuredRun> runs, const std::string& sweep_name) {
  // Scores have one column per class, so runs on multi-label data have the same classes.
  for (const MeasuredRun& run : runs)
    MUSTER_CHECK(!has_scored_items(run) || run.facts.class_names == runs.front().facts.class_names);
  Results out = runs.front().facts;
  out.class_names.clear();
  for (size_t r = 0; r < runs.size(); ++r) {
    const std::vector<int> number = numbered(runs[r].facts.class_names, out.class_names);
    for (Measured& measured : runs[r].measured) {
      const std::string name = full_name(measured, sweep_name);
      MethodResult& result = out.methods.emplace_back(std::move(measured.result));
      result.method = name;
      result.group = fmt::format("{}", r);
      result.series = measured.method;
      for (SplitResult& split : result.splits) renumber(number, split);
    }
  }
  return out;
}

}  // namespace muster
