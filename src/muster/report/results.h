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
//                 "seconds": {"train": ..., "test": ..., stage: ...}}, ...],
//    "thumbnails": {item: "data:image/...", ...}}
//
// A class is an index into class_names. Only results[].method is required: what is missing is shown
// as missing. A prediction whose label is no single class (multi-label data) is left out.
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

struct SplitResult {
  std::string seed;
  std::optional<double> accuracy;
  std::optional<double> mean_class_accuracy;
  std::vector<Prediction> predictions;
};

// Of one label of multi-label data; what is undefined (no positive, no negative) is missing.
struct LabelResult {
  std::string label;
  std::optional<double> auc, average_precision, average_precision_11_point;
};

struct MethodResult {
  std::string method;
  std::string recipe;
  std::vector<SplitResult> splits;
  std::optional<double> accuracy_mean, accuracy_std, mean_class_accuracy_mean, auc_mean, map_mean,
      map_11_point_mean;
  std::vector<LabelResult> labels;
  // In the record's order; "train" and "test" are totals, the others are stages.
  std::vector<std::pair<std::string, double>> seconds;

  std::optional<double> seconds_of(const std::string& name) const;
};

// Named values of the record's data, protocol or machine; nested names are joined by a dot.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Results {
  std::string version, seed;
  std::vector<std::string> class_names;
  Facts data, protocol, machine;
  std::vector<MethodResult> methods;
  std::map<std::string, std::string> thumbnails;

  // The method with the highest accuracy_mean (for multi-label data, map_mean), the first of
  // equals; none when there is no method.
  const MethodResult* best() const;
};

// A nlohmann::json converts. Throws a data error that names the field when the record is not of
// this form.
Results read_results(const nlohmann::ordered_json& record);

// counts[label][predicted] over all splits of a method; square, one row a class.
std::vector<std::vector<int>> confusion_counts(const MethodResult& method, size_t num_classes);

}  // namespace muster
