// What the report reads from a results record (results.json). The record is the one source:
// measures are stored raw, tables and pages are computed from it whenever they are wanted.
//
//   {"version": ..., "seed": ..., "class_names": [...], "data": {...}, "protocol": {...},
//    "machine": {...},
//    "results": [{"method": ..., "recipe": ...,
//                 "splits": [{"seed": ..., "accuracy": ..., "mean_class_accuracy": ...,
//                             "predictions": [{"item": path, "label": class, "predicted": class,
//                                              "confidence": 0..1}, ...]}, ...],
//                 "accuracy_mean": ..., "accuracy_std": ..., "mean_class_accuracy_mean": ...,
//                 "auc_mean": ..., "map_mean": ..., "map_11_point_mean": ...,
//                 "labels": [{"label": name, "auc_mean": ..., "average_precision_mean": ...,
//                             "average_precision_11_point_mean": ...}, ...],
//                 "seconds": {"train": ..., "test": ..., stage: ...},
//                 "peak_memory_mib": ..., "group": ..., "series": ...}, ...],
//    "thumbnails": {item: "data:image/...", ...},
//    "title": ..., "notes": [sentence, ...],
//    "comparison": [{"name": ..., "unit": ..., "ours": ..., "ours_std": ..., "paper": ...,
//                    "paper_std": ..., "tolerance": ..., "verdict": ..., "note": ...}, ...],
//    "curves": [{"title": ..., "x": {"label": ..., "log": bool}, "y": {"label": ..., "unit": ...},
//                "series": [{"name": ..., "paper": bool,
//                            "points": [[x, y], [x, y, low, high], ...]}, ...]}, ...],
//    "weight_maps": [{"title": ..., "levels": [[w], [w, w, w, w], ...]}, ...],
//    "pictures": [{"title": ..., "caption": ..., "source": "data:image/..."}, ...]}
//
// A class is an index into class_names. Only results[].method is required: what is missing is shown
// as missing. A prediction of multi-label data has "labels" (classes) and "scores" (one a class)
// instead of "label" and "predicted". Units: "percent" (stored as fractions), "seconds", "ms", "".
// A level of a weight map has 4^l weights, row by row; a method's own (the means over splits) come
// from splits[].kernel_shares: [{"branch": ..., "share": ..., "parts": [...]}, ...], parts being
// the cells of all levels in a row. Methods of one group were run on the same splits; methods of
// one series (the method's name unless told) are shown and hidden together.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster {

struct Prediction {
  std::string item;
  int label = 0;
  int predicted = 0;
  std::optional<double> confidence;
};

// Of multi-label data: what is true of an item, and how sure the method is of each class.
struct ScoredItem {
  std::vector<int> labels;
  std::vector<double> scores;
};

struct SplitResult {
  std::string seed;
  std::optional<double> accuracy, mean_class_accuracy, auc, map;
  std::vector<Prediction> predictions;
  std::vector<ScoredItem> scored;
};

// Of one label of multi-label data; what is undefined (no positive, no negative) is missing.
struct LabelResult {
  std::string label;
  std::optional<double> auc, average_precision, average_precision_11_point;
};

struct MethodResult {
  std::string method, group, series;
  std::string recipe;
  std::vector<SplitResult> splits;
  std::optional<double> accuracy_mean, accuracy_std, mean_class_accuracy_mean, auc_mean, map_mean,
      map_11_point_mean;
  std::vector<LabelResult> labels;
  // In the record's order; "train" and "test" are totals, the others are stages.
  std::vector<std::pair<std::string, double>> seconds;
  std::optional<double> peak_memory_mib;

  std::optional<double> seconds_of(const std::string& name) const;
};

// The paper's figure beside ours.
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

struct WeightMap {
  std::string title;
  std::vector<std::vector<double>> levels;
};
// How much one of several weighed branches counts; shares of a method sum to 1.
struct BranchShareRow {
  std::string method, branch;
  double share = 0;
};
struct Picture {
  std::string title, caption, source;
};

// Named values of the record's data, protocol or machine; nested names are joined by a dot.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Results {
  std::string version, seed, title;
  std::vector<std::string> notes;
  std::vector<std::string> class_names;
  Facts data, protocol, machine;
  std::vector<MethodResult> methods;
  std::map<std::string, std::string> thumbnails;
  std::vector<ComparisonRow> comparison;
  std::vector<Curve> curves;
  std::vector<WeightMap> weight_maps;
  std::vector<BranchShareRow> branch_shares;
  std::vector<Picture> pictures;

  // Some method has AUC or mean AP instead of accuracy.
  bool multi_label() const;
  // The method with the highest accuracy_mean (for multi-label data, map_mean), the first of
  // equals; none when there is no method.
  const MethodResult* best() const;
};

// A nlohmann::json converts. Throws a data error that names the field when the record is not of
// this form.
Results read_results(const nlohmann::ordered_json& record);

// What decides between methods: one value a split, accuracy or, for multi-label data, mean AP.
std::vector<double> deciding_values(const MethodResult& method);

// counts[label][predicted] over all splits of a method; square, one row a class.
std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes);

}  // namespace muster
