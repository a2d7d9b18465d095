// A paper's table or figure as a small declarative file
// (src/muster/reproduce/experiments/NAME.toml): which recipes, under which protocol, on which data,
// what the paper has, and how near is near enough. docs/reproduce.md explains the fields.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// "46.3 ± 0.9" in the paper's unit; values of per cent are kept as fractions.
struct PaperFigure {
  double value = 0;
  std::optional<double> deviation;
};

// The same methods on some of the classes, or under another protocol.
struct PaperPart {
  std::string name;
  std::vector<std::string> classes;             // all if empty
  std::map<std::string, std::string> protocol;  // overrides
};

struct PaperMethod {
  std::string name;
  std::string recipe;  // or the name of a preset; {NAME} stands for the sweep's value
  std::vector<std::string> overrides;
  // Another data set (a folder under --data) that the universal mixture is learned from; the
  // data's own if empty.
  std::string universal_from;
  std::vector<double> at;  // run at these values of the sweep only; at all if empty
  // By part, one per value of the sweep (a single one without a sweep); what the paper does not
  // give is missing.
  std::map<std::string, std::vector<std::optional<PaperFigure>>> paper;
};

// What the curves run over.
struct PaperSweep {
  std::string name;  // a placeholder of recipes or an option of the protocol
  std::string label;
  std::vector<double> values, quick_values;
  bool log = false;
  bool in_protocol = false;
  std::vector<std::string>
      measured_x;  // plotted over the sum of these times (of results' `seconds`) instead
};

// A statement of the paper: one method over another, by a difference or a ratio.
struct PaperClaim {
  std::string text, of, over, part;
  // The least that reaches it; if missing, the difference or ratio of the paper's own figures of
  // the two methods, at every value of the sweep that it has them for.
  std::optional<double> at_least;
  std::optional<double> at_most;  // more than this contradicts the paper, too
  std::optional<double> paper;    // the figure as printed, if `at_least` is a looser bound
  bool ratio = false;
  bool ours = false;         // a comparison that the paper does not make; shown without a verdict
  std::optional<double> at;  // only at this value of the sweep
  std::optional<double> over_at;  // `over` at this value of the sweep instead of the same
  std::string measure;            // the experiment's if empty
};

struct PaperExperiment {
  std::string name, title, paper, about, differs;
  std::string data;      // the folder under --data; empty for a study
  std::string stand_in;  // another folder that shows the same if the paper's data cannot be had
  std::vector<std::string> stand_in_classes;
  std::string study;  // computed by code (studies.h)
  std::string measure = "accuracy";
  std::string stand_in_measure;   // if the stand-in has another
  std::vector<std::string> also;  // further measures to draw
  double tolerance = 0;
  uint64_t seed = 1;
  std::map<std::string, std::string> protocol, quick, stand_in_protocol;
  std::optional<PaperSweep> sweep;
  std::vector<PaperPart> parts;  // at least one; an unnamed one holds all
  std::vector<PaperMethod> methods;
  std::vector<PaperClaim> claims;
};

// Where a data set comes from and how it is laid out.
struct DataDescription {
  std::string name, about, from, layout;
};

// A mistake in the file is a usage error that names file and field.
PaperExperiment parse_experiment(const std::string& name, std::string_view toml);
std::vector<DataDescription> parse_data_descriptions(std::string_view toml);

// Those that are built in, sorted by name.
const std::vector<PaperExperiment>& all_experiments();
const PaperExperiment& find_experiment(const std::string& name);
const DataDescription& find_data(const std::string& name);

}  // namespace muster
