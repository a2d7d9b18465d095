#include "muster/reproduce/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/options.h"
#include "muster/evaluate/statistics.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

std::string unit_of(const std::string& measure) {
  if (measure.starts_with("seconds.")) return "seconds";
  return PaperExperiment::is_percent(measure) ? "percent" : "";
}

std::string measure_label(const std::string& measure) {
  if (measure == "accuracy") return "Accuracy";
  if (measure == "mean_class_accuracy") return "Mean class accuracy";
  if (measure == "auc") return "AUC";
  if (measure == "map") return "Mean AP";
  if (measure.starts_with("seconds.")) return "Seconds of " + measure.substr(8);
  return measure;
}

const Measured* find(const std::vector<Measured>& all, const std::string& method,
                     const std::string& part, std::optional<double> value) {
  for (const Measured& m : all)
    if (m.method == method && m.part == part && m.value == value) return &m;
  return nullptr;
}

// The values that were run, in the sweep's order; one without a sweep.
std::vector<std::optional<double>> values_run(const PaperExperiment& experiment,
                                              const std::vector<Measured>& all) {
  if (!experiment.sweep) return {std::nullopt};
  std::vector<std::optional<double>> out;
  for (const double value : experiment.sweep->values)
    if (std::ranges::any_of(all, [&](const Measured& m) { return m.value == value; }))
      out.push_back(value);
  return out;
}

std::string row_name(const PaperExperiment& experiment, const std::string& text,
                     const std::string& part, std::optional<double> value) {
  return full_name({text, part, value, {}}, experiment.sweep);
}

// `short` is how much is missing, in the unit of the row.
std::string verdict_text(double missing, const std::string& unit) {
  if (missing <= 0) return "reached";
  if (unit == "percent") return fmt::format("short by {:.1f} points", 100 * missing);
  if (unit == "times") return fmt::format("short by a factor of {:.2g}", missing);
  return fmt::format("short by {:.3g}", missing);
}

Json paper_row(const PaperExperiment& experiment, const PaperMethod& method,
               const std::string& part, std::optional<double> value, const PaperFigure& paper,
               const Measured& ours, bool comparable) {
  const std::string unit = unit_of(experiment.measure);
  Json row{{"name", row_name(experiment, method.name, part, value)},
           {"unit", unit},
           {"paper", paper.value}};
  if (paper.deviation) row["paper_std"] = *paper.deviation;
  row["tolerance"] = experiment.tolerance;
  const auto measured = value_of(ours.record, experiment.measure);
  if (!measured) {
    row["verdict"] = "not measured";
    return row;
  }
  row["ours"] = measured->mean;
  if (measured->deviation) row["ours_std"] = *measured->deviation;
  row["verdict"] = comparable
                       ? verdict_text(paper.value - experiment.tolerance - measured->mean, unit)
                       : "other data than the paper's";
  return row;
}

// The accuracies of the splits, where both were run on the same ones.
std::optional<Spread> paired(const Measured& a, const Measured& b, const std::string& measure) {
  std::vector<double> x, y;
  const auto gather = [&](const Measured& m, std::vector<double>& out) {
    if (!m.record.contains("splits")) return;
    for (const Json& split : m.record["splits"])
      if (split.contains(measure) && split[measure].is_number()) out.push_back(split[measure]);
  };
  gather(a, x);
  gather(b, y);
  if (x.size() != y.size() || x.size() < 2) return std::nullopt;
  return paired_difference(x, y);
}

constexpr double kRounding = 1e-12;

Json claim_row(const PaperExperiment& experiment, const PaperClaim& claim,
               std::optional<double> value, const Measured& of, const Measured& over,
               bool comparable) {
  const std::string text = claim.text.empty() ? claim.of + " over " + claim.over : claim.text;
  const std::string unit = claim.ratio ? "times" : unit_of(claim.measure);
  Json row{{"name", row_name(experiment, text, claim.part, value)},
           {"unit", unit},
           {"paper", claim.at_least}};
  const auto a = value_of(of.record, claim.measure), b = value_of(over.record, claim.measure);
  if (!a || !b) {
    row["verdict"] = "not measured";
    return row;
  }
  double ours = claim.ratio ? a->mean / b->mean : a->mean - b->mean;
  if (std::abs(ours) < kRounding) ours = 0;  // equal means of differently ordered sums
  row["ours"] = ours;
  if (!claim.ratio)
    if (const auto spread = paired(of, over, claim.measure)) row["ours_std"] = spread->deviation;
  // A claim is the paper's rounded statement, so the tolerance of its figures does not come on top.
  const double missing =
      claim.ratio ? (ours < claim.at_least ? claim.at_least / ours : 0) : claim.at_least - ours;
  row["verdict"] = comparable ? verdict_text(missing, unit) : "other data than the paper's";
  return row;
}

// Where a point is plotted: at the sweep's value, or at the time that was measured.
double place_of(const PaperSweep& sweep, double value, const Json& record) {
  if (sweep.measured_x.empty()) return value;
  double x = 0;
  for (const std::string& stage : sweep.measured_x)
    if (const auto seconds = value_of(record, "seconds." + stage)) x += seconds->mean;
  return x;
}

Json curve_of(const PaperExperiment& experiment, const PaperPart& part, const std::string& measure,
              const std::vector<Measured>& all) {
  const PaperSweep& sweep = *experiment.sweep;
  const bool with_paper = measure == experiment.measure && sweep.measured_x.empty();
  Json series = Json::array();
  for (const PaperMethod& method : experiment.methods) {
    Json points = Json::array(), papers = Json::array();
    const auto paper = method.paper.find(part.name);
    for (size_t v = 0; v < sweep.values.size(); ++v) {
      if (with_paper && paper != method.paper.end() && paper->second[v])
        papers.push_back({sweep.values[v], paper->second[v]->value});
      const Measured* m = find(all, method.name, part.name, sweep.values[v]);
      const auto value = m ? value_of(m->record, measure) : std::nullopt;
      if (!value) continue;
      const double x = place_of(sweep, sweep.values[v], m->record);
      points.push_back(value->low ? Json{x, value->mean, *value->low, *value->high}
                                  : Json{x, value->mean});
    }
    if (!points.empty()) series.push_back({{"name", method.name}, {"points", points}});
    if (!papers.empty())
      series.push_back({{"name", method.name}, {"paper", true}, {"points", papers}});
  }
  return {
      {"title", measure_label(measure) + (part.name.empty() ? "" : ", " + part.name)},
      {"x", {{"label", sweep.measured_x.empty() ? sweep.label : "Seconds"}, {"log", sweep.log}}},
      {"y", {{"label", measure_label(measure)}, {"unit", unit_of(measure)}}},
      {"series", series}};
}

}  // namespace

std::optional<MeasuredValue> value_of(const Json& record, const std::string& measure) {
  if (measure.starts_with("seconds.")) {
    const std::string stage = measure.substr(8);
    if (!record.contains("seconds") || !record["seconds"].contains(stage)) return std::nullopt;
    return MeasuredValue{record["seconds"][stage].get<double>(), {}, {}, {}};
  }
  const auto field = [&](const char* suffix) { return record.value(measure + suffix, Json()); };
  if (!field("_mean").is_number()) return std::nullopt;
  MeasuredValue out{field("_mean").get<double>(), {}, {}, {}};
  const bool several = record.contains("splits") && record["splits"].size() > 1;
  if (several && field("_std").is_number()) out.deviation = field("_std").get<double>();
  if (several && field("_interval").is_array()) {
    out.low = field("_interval")[0].get<double>();
    out.high = field("_interval")[1].get<double>();
  }
  return out;
}

std::string full_name(const Measured& measured, const std::optional<PaperSweep>& sweep) {
  std::string out = measured.part.empty() ? "" : measured.part + ": ";
  out += measured.method;
  if (sweep && measured.value)
    out += fmt::format(", {} = {}", sweep->name, number_text(*measured.value));
  return out;
}

Json merge_runs(const std::vector<MeasuredRun>& runs, const std::optional<PaperSweep>& sweep) {
  Json out = Json::object();
  std::vector<std::string> classes;
  for (const MeasuredRun& run : runs)
    for (const Json& name : run.record["class_names"])
      if (std::ranges::find(classes, name.get<std::string>()) == classes.end())
        classes.push_back(name);
  for (const char* name : {"version", "seed"}) out[name] = runs[0].record[name];
  out["class_names"] = classes;
  for (const char* name : {"data", "protocol", "machine"}) out[name] = runs[0].record[name];
  out["results"] = Json::array();
  for (size_t r = 0; r < runs.size(); ++r) {
    std::vector<size_t> number;
    for (const Json& name : runs[r].record["class_names"])
      number.push_back(static_cast<size_t>(std::ranges::find(classes, name.get<std::string>()) -
                                           classes.begin()));
    for (const Measured& m : runs[r].measured) {
      Json result{
          {"method", full_name(m, sweep)}, {"group", fmt::format("{}", r)}, {"series", m.method}};
      for (const auto& [key, value] : m.record.items())
        if (key != "method") result[key] = value;
      for (Json& split : result["splits"])
        for (Json& prediction : split["predictions"])
          for (const char* field : {"label", "predicted"})
            if (prediction.contains(field))
              prediction[field] = number[prediction[field].get<size_t>()];
      out["results"].push_back(std::move(result));
    }
  }
  return out;
}

Json curves_of(const PaperExperiment& experiment, const std::vector<Measured>& all) {
  Json out = Json::array();
  if (!experiment.sweep) return out;
  std::vector<std::string> measures{experiment.measure};
  measures.insert(measures.end(), experiment.also.begin(), experiment.also.end());
  for (const std::string& measure : measures)
    for (const PaperPart& part : experiment.parts) {
      Json curve = curve_of(experiment, part, measure, all);
      if (!curve["series"].empty()) out.push_back(std::move(curve));
    }
  return out;
}

Json comparison_of(const PaperExperiment& experiment, const std::vector<Measured>& all,
                   bool comparable) {
  Json rows = Json::array();
  for (const PaperPart& part : experiment.parts)
    for (const PaperMethod& method : experiment.methods) {
      const auto paper = method.paper.find(part.name);
      if (paper == method.paper.end()) continue;
      for (size_t v = 0; v < paper->second.size(); ++v) {
        const std::optional<double> value =
            experiment.sweep ? std::optional(experiment.sweep->values[v]) : std::nullopt;
        const Measured* ours = find(all, method.name, part.name, value);
        if (ours && paper->second[v])
          rows.push_back(paper_row(experiment, method, part.name, value, *paper->second[v], *ours,
                                   comparable));
      }
    }
  for (const PaperClaim& claim : experiment.claims)
    for (const PaperPart& part : experiment.parts) {
      if (!claim.part.empty() && claim.part != part.name) continue;
      for (const std::optional<double>& value : values_run(experiment, all)) {
        if (claim.at && claim.at != value) continue;
        const Measured* of = find(all, claim.of, part.name, value);
        const Measured* over = find(all, claim.over, part.name, value);
        PaperClaim here = claim;
        here.part = part.name;
        if (of && over) rows.push_back(claim_row(experiment, here, value, *of, *over, comparable));
      }
    }
  return rows;
}

}  // namespace muster
