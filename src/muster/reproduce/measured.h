// What was measured, and what a page and a table make of it: records merged into one, curves, the
// paper's rows.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "muster/reproduce/paper_experiment.h"

namespace muster {

// A method under one part and one value of the sweep; `record` is an element of the `results` of
// results.json.
struct Measured {
  std::string method, part;
  std::optional<double> value;
  nlohmann::ordered_json record;
};

struct MeasuredValue {
  double mean = 0;
  std::optional<double> deviation, low, high;
};
// `measure` is accuracy, mean_class_accuracy, auc, map, ... or seconds.STAGE (the mean a split).
std::optional<MeasuredValue> value_of(const nlohmann::ordered_json& record,
                                      const std::string& measure);

// "15 a class: emk-fourier, D = 500"
std::string full_name(const Measured& measured, const std::optional<PaperSweep>& sweep);

// One record of several runs: the first one's version, machine and protocol; classes of all of
// them, predictions renumbered; results in the order given, each with `group` (those of one run),
// `series` and its full name.
struct MeasuredRun {
  nlohmann::ordered_json record;
  std::vector<Measured> measured;  // one a result of the record, in order
};
nlohmann::ordered_json merge_runs(const std::vector<MeasuredRun>& runs,
                                  const std::optional<PaperSweep>& sweep);

// One curve a part, of the experiment's measure over its sweep, ours and the paper's.
nlohmann::ordered_json curves_of(const PaperExperiment& experiment,
                                 const std::vector<Measured>& all);

// One row a figure of the paper and a claim. `comparable` is false on other data than the paper's:
// then no verdict.
nlohmann::ordered_json comparison_of(const PaperExperiment& experiment,
                                     const std::vector<Measured>& all, bool comparable);

}  // namespace muster
