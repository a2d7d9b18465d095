#include "muster/reproduce/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/evaluate/statistics.h"

namespace muster {
namespace {

constexpr const char* kOtherData = "other data than the paper's";
constexpr const char* kOurs = "not in the paper";

const MethodResult* find(const std::vector<MeasuredRun>& runs, const std::string& method,
                         const std::string& part, std::optional<double> value) {
  for (const MeasuredRun& run : runs)
    for (const Measured& m : run.measured)
      if (m.method == method && m.part == part && m.value == value) return &m.result;
  return nullptr;
}

// The values that were run, in the sweep's order; one without a sweep.
std::vector<std::optional<double>> values_run(const PaperExperiment& experiment,
                                              const std::vector<MeasuredRun>& runs) {
  if (!experiment.sweep) return {std::nullopt};
  std::vector<std::optional<double>> out;
  for (const double value : experiment.sweep->values)
    if (std::ranges::any_of(runs, [&](const MeasuredRun& run) {
          return std::ranges::any_of(run.measured,
                                     [&](const Measured& m) { return m.value == value; });
        }))
      out.push_back(value);
  return out;
}

std::string row_name(const PaperExperiment& experiment, const std::string& text,
                     const std::string& part, std::optional<double> value) {
  return full_name({text, part, value, {}}, experiment.sweep ? experiment.sweep->name : "");
}

// `missing` is how much is lacking, in the unit of the row.
std::string verdict_text(double missing, const std::string& unit) {
  if (missing <= 0) return "reached";
  if (unit == "percent") return fmt::format("short by {:.1f} points", 100 * missing);
  if (unit == "times") return fmt::format("short by a factor of {:.2g}", missing);
  return fmt::format("short by {:.3g}", missing);
}

ComparisonRow paper_row(const PaperExperiment& experiment, const std::string& name,
                        const PaperFigure& paper, const MethodResult& ours, bool comparable) {
  ComparisonRow row;
  row.name = name;
  row.unit = unit_of(experiment.measure);
  row.paper = paper.value;
  row.paper_std = paper.deviation;
  row.tolerance = experiment.tolerance;
  const auto measured = value_of(ours, experiment.measure);
  if (!measured) {
    row.verdict = "not measured";
    return row;
  }
  row.ours = measured->mean;
  row.ours_std = measured->deviation;
  row.verdict = comparable
                    ? verdict_text(paper.value - experiment.tolerance - measured->mean, row.unit)
                    : kOtherData;
  return row;
}

// The difference of the measure over the splits, if both were run on the same ones.
std::optional<Spread> paired(const MethodResult& a, const MethodResult& b,
                             const std::string& measure) {
  const auto values = [&](const MethodResult& method) {
    std::vector<double> out;
    for (const SplitResult& split : method.splits)
      if (const auto value = split.measures.find(measure)) out.push_back(*value);
    return out;
  };
  const std::vector<double> x = values(a), y = values(b);
  if (x.size() != y.size() || x.size() < 2) return std::nullopt;
  return paired_difference(x, y);
}

constexpr double kRounding = 1e-12;

// What a claim asks for in one part at one value: its own bound, or what the paper's figures give.
std::optional<double> least_of(const PaperExperiment& experiment, const PaperClaim& claim,
                               const std::string& part, std::optional<double> value) {
  if (claim.at_least) return claim.at_least;
  const auto figure = [&](const std::string& name) -> std::optional<double> {
    const auto method = std::ranges::find(experiment.methods, name, &PaperMethod::name);
    const auto figures = method->paper.find(part);
    if (figures == method->paper.end()) return std::nullopt;
    size_t index = 0;
    if (value)
      index = static_cast<size_t>(std::ranges::find(experiment.sweep->values, *value) -
                                  experiment.sweep->values.begin());
    const auto& printed = figures->second[index];
    return printed ? std::optional(printed->value) : std::nullopt;
  };
  const auto of = figure(claim.of), over = figure(claim.over);
  if (!of || !over) return std::nullopt;
  return claim.ratio ? *of / *over : *of - *over;
}

std::string claim_verdict(const PaperClaim& claim, double ours, double least,
                          const std::string& unit) {
  if (claim.at_most && ours > *claim.at_most)
    return unit == "times" ? fmt::format("beyond by a factor of {:.2g}", ours / *claim.at_most)
                           : fmt::format("beyond by {:.3g}", ours - *claim.at_most);
  // A claim is the paper's rounded statement, so the tolerance of its figures does not come on top.
  const double missing = claim.ratio ? (ours < least ? least / ours : 0) : least - ours;
  return verdict_text(missing < kRounding ? 0 : missing, unit);
}

// `least` is missing for a comparison that the paper does not make.
ComparisonRow claim_row(const PaperClaim& claim, const std::string& name,
                        std::optional<double> least, const MethodResult& of,
                        const MethodResult& over, bool comparable) {
  ComparisonRow row;
  row.name = name;
  row.unit = claim.ratio ? "times" : unit_of(claim.measure);
  row.paper = claim.paper ? claim.paper : least;
  const auto a = value_of(of, claim.measure), b = value_of(over, claim.measure);
  if (!a || !b) {
    row.verdict = "not measured";
    return row;
  }
  double ours = claim.ratio ? a->mean / b->mean : a->mean - b->mean;
  if (std::abs(ours) < kRounding) ours = 0;  // equal means of differently ordered sums
  row.ours = ours;
  if (!claim.ratio)
    if (const auto spread = paired(of, over, claim.measure)) row.ours_std = spread->deviation;
  if (!comparable)
    row.verdict = kOtherData;
  else
    row.verdict = least ? claim_verdict(claim, ours, *least, row.unit) : kOurs;
  return row;
}

// Where a point is plotted: at the sweep's value, or at the time that was measured.
double place_of(const PaperSweep& sweep, double value, const MethodResult& result) {
  if (sweep.measured_x.empty()) return value;
  double x = 0;
  for (const std::string& stage : sweep.measured_x)
    x += seconds_of(result.seconds, stage).value_or(0);
  return x;
}

Curve curve_of(const PaperExperiment& experiment, const PaperPart& part, const std::string& measure,
               const std::vector<MeasuredRun>& runs) {
  const PaperSweep& sweep = *experiment.sweep;
  const bool with_paper = measure == experiment.measure && sweep.measured_x.empty();
  Curve curve{label_of(measure) + (part.name.empty() ? "" : ", " + part.name),
              sweep.measured_x.empty() ? sweep.label : "Seconds",
              label_of(measure),
              unit_of(measure),
              sweep.log,
              {}};
  for (const PaperMethod& method : experiment.methods) {
    CurveSeries ours{method.name, false, {}}, papers{method.name, true, {}};
    const auto paper = method.paper.find(part.name);
    for (size_t v = 0; v < sweep.values.size(); ++v) {
      if (with_paper && paper != method.paper.end() && paper->second[v])
        papers.points.push_back({sweep.values[v], paper->second[v]->value, {}, {}});
      const MethodResult* result = find(runs, method.name, part.name, sweep.values[v]);
      if (!result) continue;
      const double x = place_of(sweep, sweep.values[v], *result);
      if (const auto point = curve_point(*result, measure, x)) ours.points.push_back(*point);
    }
    for (CurveSeries* series : {&ours, &papers})
      if (!series->points.empty()) curve.series.push_back(std::move(*series));
  }
  return curve;
}

void add_paper_rows(const PaperExperiment& experiment, const PaperPart& part,
                    const PaperMethod& method, const std::vector<MeasuredRun>& runs,
                    bool comparable, std::vector<ComparisonRow>& rows) {
  const auto paper = method.paper.find(part.name);
  if (paper == method.paper.end()) return;
  for (size_t v = 0; v < paper->second.size(); ++v) {
    const std::optional<double> value =
        experiment.sweep ? std::optional(experiment.sweep->values[v]) : std::nullopt;
    const MethodResult* ours = find(runs, method.name, part.name, value);
    if (ours && paper->second[v])
      rows.push_back(paper_row(experiment, row_name(experiment, method.name, part.name, value),
                               *paper->second[v], *ours, comparable));
  }
}

}  // namespace

std::vector<Curve> curves_of(const PaperExperiment& experiment,
                             const std::vector<MeasuredRun>& runs) {
  std::vector<Curve> out;
  if (!experiment.sweep) return out;
  std::vector<std::string> measures{experiment.measure};
  measures.insert(measures.end(), experiment.also.begin(), experiment.also.end());
  for (const std::string& measure : measures)
    for (const PaperPart& part : experiment.parts) {
      Curve curve = curve_of(experiment, part, measure, runs);
      if (!curve.series.empty()) out.push_back(std::move(curve));
    }
  return out;
}

std::vector<ComparisonRow> comparison_of(const PaperExperiment& experiment,
                                         const std::vector<MeasuredRun>& runs, bool comparable) {
  std::vector<ComparisonRow> rows;
  for (const PaperPart& part : experiment.parts)
    for (const PaperMethod& method : experiment.methods)
      add_paper_rows(experiment, part, method, runs, comparable, rows);
  for (const PaperClaim& claim : experiment.claims)
    for (const PaperPart& part : experiment.parts) {
      if (!claim.part.empty() && claim.part != part.name) continue;
      const std::string text = claim.text.empty() ? claim.of + " over " + claim.over : claim.text;
      for (const std::optional<double>& value : values_run(experiment, runs)) {
        if (claim.at && claim.at != value) continue;
        const MethodResult* of = find(runs, claim.of, part.name, value);
        const MethodResult* over =
            find(runs, claim.over, part.name, claim.over_at ? claim.over_at : value);
        const auto least =
            claim.ours ? std::nullopt : least_of(experiment, claim, part.name, value);
        if (of && over && (least || claim.ours || !comparable))
          rows.push_back(claim_row(claim, row_name(experiment, text, part.name, value), least, *of,
                                   *over, comparable));
      }
    }
  return rows;
}

}  // namespace muster
