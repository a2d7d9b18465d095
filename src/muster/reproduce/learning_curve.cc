#include "muster/reproduce/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/reproduce/measured.h"
#include "muster/store/atomic_file.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

PaperExperiment as_experiment(const ExperimentOptions& options, const SweptOption& option,
                              bool multi_label) {
  PaperExperiment out;
  out.measure = multi_label ? "map" : "accuracy";
  out.sweep = PaperSweep{option.name,
                         option.name == "train" ? "Training items a class" : option.name,
                         option.values,
                         option.values,
                         false,
                         true,
                         {}};
  out.parts.push_back({});
  for (const Method& method : options.methods) out.methods.emplace_back().name = method.name;
  return out;
}

std::vector<CurveStep> steps_of(const std::string& method, const std::string& measure,
                                const std::vector<Measured>& all) {
  std::vector<CurveStep> steps;
  for (const Measured& m : all) {
    const auto value = value_of(m.record, measure);
    if (m.method == method && value)
      steps.push_back({*m.value, value->mean, value->low ? value->mean - *value->low : 0});
  }
  return steps;
}

}  // namespace

Outlook outlook(const std::vector<CurveStep>& steps) {
  MUSTER_CHECK(steps.size() >= 2);
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(steps.size());
  for (const CurveStep& step : steps) {
    // No error at all has no logarithm; half a per mille stands for it.
    const double u = std::log(step.num_train), v = std::log(std::max(1 - step.accuracy, 5e-4));
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  const double slope = (n * xy - x * y) / std::max(n * xx - x * x, 1e-12);
  const double kept = std::min(std::pow(2.0, slope), 1.0);  // more data do not hurt
  const double error = 1 - steps.back().accuracy;
  return {1 - error * kept, 1 - kept};
}

std::string outlook_sentence(const std::string& method, const std::vector<CurveStep>& steps) {
  const CurveStep& last = steps.back();
  const Outlook next = outlook(steps);
  const double gain = next.accuracy - last.accuracy;
  const std::string now = fmt::format("{}: {:.1f} % with {:g} training items a class", method,
                                      100 * last.accuracy, last.num_train);
  const bool clear = gain > last.half_width && gain > 0.005;
  if (!clear)
    return fmt::format(
        "{}; twice as many would bring little, about {:.1f} points, which is within the "
        "uncertainty.",
        now, 100 * gain);
  return fmt::format(
      "{}; twice as many would bring about {:.1f} points (to {:.1f} %), as each doubling took away "
      "{:.0f} % of the errors.",
      now, 100 * gain, 100 * next.accuracy, 100 * next.error_falls_by);
}

Json run_curve(const Dataset& dataset, const ExperimentOptions& options, SweptOption option,
               const Progress& progress, const Announce& announce) {
  std::ranges::sort(option.values);
  std::vector<MeasuredRun> runs;
  std::vector<Measured> all;
  for (const double value : option.values) {
    OptionsOf<ProtocolOptions> protocol(options.protocol);
    protocol.set("--curve", option.name, number_text(value));
    ExperimentOptions here = options;
    here.protocol = protocol.values;
    here.out = options.out / (option.name + "-" + number_text(value));
    announce(option.name + " = " + number_text(value));
    MeasuredRun run{run_experiment(dataset, here, progress, announce), {}};
    for (size_t m = 0; m < options.methods.size(); ++m)
      run.measured.push_back({options.methods[m].name, "", value, run.record["results"][m]});
    all.insert(all.end(), run.measured.begin(), run.measured.end());
    runs.push_back(std::move(run));
  }
  const bool multi_label = !all[0].record.contains("accuracy_mean");
  const PaperExperiment experiment = as_experiment(options, option, multi_label);
  Json record = merge_runs(runs, experiment.sweep);
  record["curves"] = curves_of(experiment, all);
  record["notes"] = Json::array();
  if (option.name == "train")
    for (const Method& method : options.methods)
      record["notes"].push_back(
          outlook_sentence(method.name, steps_of(method.name, experiment.measure, all)));
  write_file_atomically(options.out / "results.json", record.dump(1) + "\n");
  return record;
}

}  // namespace muster
