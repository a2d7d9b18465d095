// A results.json with awkward names.
#pragma once

#include <nlohmann/json.hpp>

namespace muster {

inline nlohmann::ordered_json results_record() {
  return nlohmann::ordered_json::parse(R"json({
    "version": "0.1.0", "seed": 1, "class_names": ["cats & <dogs>", "größe \"L\"", "plain"],
    "data": {"path": "photos", "items": 12}, "protocol": {"protocol": "per-class", "train": "30"},
    "machine": {"cpu": "some", "cores": 2},
    "results": [
      {"method": "bow-linear", "recipe": "dsift:step=8,size=16/bow/linear-svm",
       "splits": [{"seed": 7, "accuracy": 0.5, "mean_class_accuracy": 0.5, "predictions": [
          {"item": "a.png", "label": 0, "predicted": 0, "confidence": 0.9},
          {"item": "b.png", "label": 0, "predicted": 1, "confidence": 0.6},
          {"item": "<c>.png", "label": 1, "predicted": 2, "confidence": 0.8},
          {"item": "d.png", "label": 1, "predicted": 1, "confidence": 0.7}]}],
       "accuracy_mean": 0.5, "accuracy_std": 0.0125, "mean_class_accuracy_mean": 0.5,
       "seconds": {"train": 12.34, "test": 0.5, "kmeans": 100.2}},
      {"method": "other", "accuracy_mean": 0.25, "splits": []}],
    "thumbnails": {"<c>.png": "data:image/png;base64,AAAA", "b.png": "https://example.org/x.png"}
  })json");
}

}  // namespace muster
