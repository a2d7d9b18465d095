// The result record: what experiments measure, and what tables, pages and comparisons with papers
// are made of. In memory it is this type; on disk it is results.json (results_json.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/crossval/indefinite.h"
#include "muster/solve/convergence.h"

namespace muster {

// What a split is worth (Value is double) or a method over its splits (MeasureSummary). What was
// not measured, or is undefined (AUC without a negative item), is missing.
template <class Value>
struct Measures {
  std::optional<Value> accuracy, mean_class_accuracy, auc, average_precision,
      average_precision_11_point, map, map_11_point, inferred_map;

  struct Named {
    const char* name;
    std::optional<Value> Measures::*member;
  };
  // In the order of the file.
  static constexpr std::array<Named, 8> named() {
    return {{{"accuracy", &Measures::accuracy},
             {"mean_class_accuracy", &Measures::mean_class_accuracy},
             {"auc", &Measures::auc},
             {"average_precision", &Measures::average_precision},
             {"average_precision_11_point", &Measures::average_precision_11_point},
             {"map", &Measures::map},
             {"map_11_point", &Measures::map_11_point},
             {"inferred_map", &Measures::inferred_map}}};
  }
  // Missing for a name that is not a measure, too.
  std::optional<Value> find(std::string_view name) const {
    for (const Named& measure : named())
      if (name == measure.name) return this->*measure.member;
    return std::nullopt;
  }
};

struct MeasureSummary {
  double mean = 0;
  std::optional<double> deviation;  // of the splits
  std::optional<double> low, high;  // 95 % interval of the mean, both or neither
};
inline std::optional<double> mean_of(const std::optional<MeasureSummary>& measure) {
  return measure ? std::optional(measure->mean) : std::nullopt;
}
inline std::optional<double> deviation_of(const std::optional<MeasureSummary>& measure) {
  return measure ? measure->deviation : std::nullopt;
}

// A class is an index into Results::class_names.
struct ItemPrediction {
  std::string item;
  int label = 0;
  int predicted = 0;
  std::optional<double> confidence;
};

// Of multi-label data: what is true of an item, and the score of each class.
struct ScoredItem {
  std::string item;
  std::vector<int> labels, difficult;
  std::vector<double> scores;
};

// How much a branch counts among kernels that were weighed, and the weights of its parts (the cells
// of a pyramid, level by level).
struct KernelShare {
  std::string branch;
  double share = 0;
  std::vector<double> parts;
};

// By stage, in the order in which they were run; "train" and "test" are totals.
using StageTimes = std::vector<std::pair<std::string, double>>;
std::optional<double> seconds_of(const StageTimes& times, std::string_view stage);
void add_seconds(StageTimes& times, const std::string& stage, double seconds);

struct SplitResult {
  std::optional<uint64_t> seed;
  std::string concept_name;  // what a split about one concept asks for, else empty
  Measures<double> measures;
  // Of multi-label data, one per class; missing where undefined.
  std::vector<std::optional<double>> auc_per_label, average_precision_per_label,
      average_precision_11_point_per_label;
  std::vector<ItemPrediction> predictions;
  std::vector<ScoredItem> scored;
  StageTimes seconds;
  // If the recipe was chosen from the training items: which, and what it was expected to score,
  // with the standard error.
  std::string recipe;
  std::optional<double> estimate, estimate_error;
  std::optional<double> C;
  std::optional<IndefiniteGram> indefinite;
  std::optional<Convergence> convergence;
  std::vector<KernelShare> kernel_shares;  // one per branch, if kernels were weighed
  std::optional<size_t> num_train, num_test;
  std::optional<double> peak_memory_mib;
};

// The means of one label over the splits.
struct LabelResult {
  std::string label;
  std::optional<double> auc, average_precision, average_precision_11_point;
};

struct UsedUniversal {
  std::string file, checksum;
};

struct MethodResult {
  std::string method;
  std::string group;   // methods of one group were run on the same splits
  std::string series;  // methods of one series are shown and hidden together; the method if empty
  std::string recipe, full_recipe;
  std::optional<UsedUniversal> universal;
  std::vector<std::string> fused;  // of a fusion: the names of its members, and their weights
  std::vector<double> weights;
  Measures<MeasureSummary> measures;
  std::vector<LabelResult> labels;
  StageTimes seconds;  // means over splits
  std::optional<double> peak_memory_mib;
  std::vector<SplitResult> splits;

  const std::string& series_name() const { return series.empty() ? method : series; }
  // The mean that decides between methods: accuracy or, for multi-label data, mean AP.
  std::optional<double> deciding_mean() const;
  // The same, one value per split.
  std::vector<double> deciding_values() const;
};

struct DataFacts {
  std::string path;
  std::optional<size_t> items, classes;
  std::vector<std::string> left_out, notes;
  std::string key;  // changes with the data
};
struct MachineFacts {
  std::string cpu;
  std::optional<size_t> cores;
  std::string compiler;
};
// Names and values as text.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const DataFacts& data);
Facts facts_of(const MachineFacts& machine);

// The paper's figure beside ours. Units: "percent" (kept as fractions), "seconds", "ms", "times" or
// none.
struct ComparisonRow {
  std::string name, unit, verdict, note;
  std::optional<double> ours, ours_std, paper, paper_std, tolerance;
};

struct CurvePoint {
  double x = 0, y = 0;
  std::optional<double> low, high;
};
struct CurveSeries {
  std::string name;
  bool paper = false;
  std::vector<CurvePoint> points;
};
struct Curve {
  std::string title, x_label, y_label, unit;
  bool x_log = false;
  std::vector<CurveSeries> series;
};

// Level l has 4^l weights, row by row.
struct WeightMap {
  std::string title;
  std::vector<std::vector<double>> levels;
};
struct Picture {
  std::string title, caption, source;
};

// Which table or figure of a paper was reproduced.
struct ReproducedExperiment {
  std::string name, paper, title;
  bool quick = false;
  std::string command;
};

struct Results {
  std::string version, title;
  std::optional<uint64_t> seed;
  std::vector<std::string> notes;
  std::vector<std::string> class_names;
  std::optional<DataFacts> data;
  Facts protocol;
  std::optional<MachineFacts> machine;
  std::vector<MethodResult> methods;
  std::map<std::string, std::string> thumbnails;  // item -> data URI
  std::optional<ReproducedExperiment> experiment;
  std::vector<ComparisonRow> comparison;
  std::vector<Curve> curves;
  std::vector<WeightMap> weight_maps;
  std::vector<Picture> pictures;

  // Some method has AUC or mean AP instead of accuracy.
  bool multi_label() const;
  // The method with the highest deciding mean; if several share it, the first; null if there is no
  // method.
  const MethodResult* best() const;
};

// counts[label][predicted] over all splits of a method; square, one row per class.
std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes);

}  // namespace muster
