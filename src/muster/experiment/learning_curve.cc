#include "muster/experiment/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/experiment/runs.h"
#include "muster/results/results_json.h"

namespace muster {
namespace {

std::vector<CurvePoint> points_of(const std::string& method, const std::string& measure,
                                  const std::vector<MeasuredRun>& runs) {
  std::vector<CurvePoint> points;
  for (const MeasuredRun& run : runs)
    for (const Measured& m : run.measured)
      if (m.method == method)
        if (const auto point = curve_point(m.result, measure, *m.value)) points.push_back(*point);
  return points;
}

Curve curve_of(const SweptOption& option, const std::string& measure) {
  return {label_of(measure),
          option.name == "train" ? "Training items per class" : option.name,
          label_of(measure),
          unit_of(measure),
          false,
          {}};
}

std::vector<CurveStep> steps_of(const std::vector<CurvePoint>& points) {
  std::vector<CurveStep> steps;
  steps.reserve(points.size());
  for (const CurvePoint& p : points) steps.push_back({p.x, p.y, p.low ? p.y - *p.low : 0});
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
  const std::string now = fmt::format("{}: {:.1f} % with {:g} training items per class", method,
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

Results run_curve(const Dataset& dataset, const ExperimentOptions& options, SweptOption option,
                  const Progress& progress, const Announce& announce) {
  std::ranges::sort(option.values);
  std::vector<MeasuredRun> runs;
  for (const double value : option.values) {
    OptionsOf<ProtocolOptions> protocol(options.protocol);
    protocol.set("--curve", option.name, number_text(value));
    ExperimentOptions here = options;
    here.protocol = protocol.values;
    here.out = options.out / (option.name + "-" + number_text(value));
    announce(option.name + " = " + number_text(value));
    MeasuredRun run{run_experiment(dataset, here, progress, announce), {}};
    for (MethodResult& result : run.facts.methods) {
      const std::string name = result.method;
      run.measured.push_back({name, "", value, std::move(result)});
    }
    run.facts.methods.clear();
    runs.push_back(std::move(run));
  }
  const bool multi_label = !runs[0].measured[0].result.measures.accuracy;
  const std::string measure = multi_label ? "map" : "accuracy";
  Curve curve = curve_of(option, measure);
  std::vector<std::string> notes;
  for (const Measured& m : runs[0].measured) {
    std::vector<CurvePoint> points = points_of(m.method, measure, runs);
    if (option.name == "train" && points.size() > 1)
      notes.push_back(outlook_sentence(m.method, steps_of(points)));
    if (!points.empty()) curve.series.push_back({m.method, false, std::move(points)});
  }
  Results results = merge_runs(std::move(runs), option.name);
  results.curves.push_back(std::move(curve));
  results.notes = std::move(notes);
  write_results(options.out / "results.json", results);
  return results;
}

}  // namespace muster
