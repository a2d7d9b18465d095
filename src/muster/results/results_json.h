// The result record as a file, results.json. Measures are stored raw; tables and pages are made
// from them whenever they are wanted.
//
//   {"version": ..., "seed": ..., "class_names": [...],
//    "data": {"items": ..., "classes": ..., "left_out": [...], "notes": [...], "key": ...,
//             "path": ...},
//    "protocol": {option: text, ...}, "machine": {"cpu": ..., "cores": ..., "compiler": ...},
//    "results": [{"method": ..., "group": ..., "series": ..., "recipe": ..., "full_recipe": ...,
//                 "universal": {"file": ..., "checksum": ...}, "fused": [...], "weights": [...],
//                 "MEASURE_mean": ..., "MEASURE_std": ..., "MEASURE_interval": [low, high], ...,
//                 "labels": [{"label": name, "auc_mean": ..., "average_precision_mean": ...,
//                             "average_precision_11_point_mean": ...}, ...],
//                 "seconds": {stage: ..., "train": ..., "test": ...}, "peak_memory_mib": ...,
//                 "splits": [{"seed": ..., "concept": ..., MEASURE: ..., "auc_per_label": [...],
//                             "predictions": [{"item": path, "label": class, "predicted": class,
//                                              "confidence": 0..1}, ...],
//                             "seconds": {...}, "C": ..., "indefinite": {...},
//                             "convergence": {...}, "kernel_shares": [{"branch": ..., "share": ...,
//                             "parts": [...]}, ...], "num_train": ..., "num_test": ...,
//                             "peak_memory_mib": ...}, ...]}, ...],
//    "thumbnails": {item: "data:image/...", ...}, "title": ..., "notes": [sentence, ...],
//    "experiment": {"name": ..., "paper": ..., "title": ..., "quick": bool, "command": ...},
//    "comparison": [{"name": ..., "unit": ..., "paper": ..., "paper_std": ..., "tolerance": ...,
//                    "ours": ..., "ours_std": ..., "verdict": ..., "note": ...}, ...],
//    "curves": [{"title": ..., "x": {"label": ..., "log": bool}, "y": {"label": ..., "unit": ...},
//                "series": [{"name": ..., "paper": true,
//                            "points": [[x, y], [x, y, low, high], ...]}, ...]}, ...],
//    "weight_maps": [{"title": ..., "levels": [[w], [w, w, w, w], ...]}, ...],
//    "pictures": [{"title": ..., "caption": ..., "source": "data:image/..."}, ...]}
//
// MEASURE is accuracy, mean_class_accuracy, auc, average_precision, average_precision_11_point, map
// map_11_point or inferred_map. A prediction of multi-label data has "labels", "difficult"
// (classes) and "scores" (one per class) instead of "label", "predicted" and "confidence". Only
// "results" and results[].method are required; what is missing is missing.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "muster/results/results.h"

namespace muster {

nlohmann::ordered_json to_json(const Results& results);
// Throws a data error that names the field if the record is not of this form.
Results results_from_json(const nlohmann::ordered_json& record);

// The whole file or none.
void write_results(const std::filesystem::path& file, const Results& results);

// One element of "splits". `where` names it in errors.
nlohmann::ordered_json to_json(const SplitResult& split);
SplitResult split_from_json(const nlohmann::ordered_json& record, size_t num_classes,
                            const std::string& where);

// to_json without what grows with the data: predictions, times and labels of splits, thumbnails,
// pictures, items that were left out.
nlohmann::ordered_json summary_json(Results results);

}  // namespace muster
