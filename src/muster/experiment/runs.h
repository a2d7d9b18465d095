// Several runs of an experiment, over the values of a sweep or over parts of the data, as one
// record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/results/results.h"

namespace muster {

// A method under one part and one value of the sweep.
struct Measured {
  std::string method, part;
  std::optional<double> value;
  MethodResult result;
};

struct MeasuredRun {
  Results facts;                   // what was run on what; without methods
  std::vector<Measured> measured;  // the methods, in order
};

// The value of a measure (accuracy, mean_class_accuracy, auc, map, ..., seconds.STAGE, the mean
// per split, or ms_per_item.STAGE, the mean over the items of that stage: those of the test for
// stages of the test, else those of training), with its spread if there are several splits.
std::optional<MeasureSummary> value_of(const MethodResult& result, const std::string& measure);
// "percent", "seconds", "ms" or none.
std::string unit_of(const std::string& measure);
bool is_percent(const std::string& measure);
// For people: "Accuracy", "Seconds of train".
std::string label_of(const std::string& measure);

// The point of a curve at x; none if the measure was not taken.
std::optional<CurvePoint> curve_point(const MethodResult& result, const std::string& measure,
                                      double x);

// "15 per class: emk-fourier, D = 500", D being the name of the sweep.
std::string full_name(const Measured& measured, const std::string& sweep_name);

// One record of all runs: the first one's version, seed, data, protocol and machine; the classes of
// all of them, predictions renumbered; methods in the order given, each with its run as group, its
// name as series and its full name. Requires at least one run.
Results merge_runs(std::vector<MeasuredRun> runs, const std::string& sweep_name);

}  // namespace muster
