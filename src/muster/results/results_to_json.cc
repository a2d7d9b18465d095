#include <nlohmann/json.hpp>

#include "muster/results/results_json.h"
#include "muster/store/atomic_file.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// What is missing or empty is left out of the file.
void put(Json& out, const char* name, const std::string& value) {
  if (!value.empty()) out[name] = value;
}
template <class Value>
void put(Json& out, const char* name, const std::optional<Value>& value) {
  if (value) out[name] = *value;
}
template <class Value>
void put(Json& out, const char* name, const std::vector<Value>& values) {
  if (!values.empty()) out[name] = values;
}

void put(Json& out, const char* name, const std::vector<std::optional<double>>& values) {
  if (values.empty()) return;
  Json& list = out[name] = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json());
}

Json seconds_json(const StageTimes& times) {
  Json out = Json::object();
  for (const auto& [stage, value] : times) out[stage] = value;
  return out;
}

Json prediction_json(const ItemPrediction& prediction) {
  Json out{
      {"item", prediction.item}, {"label", prediction.label}, {"predicted", prediction.predicted}};
  put(out, "confidence", prediction.confidence);
  return out;
}

Json scored_json(const ScoredItem& scored) {
  Json out{{"item", scored.item}, {"labels", scored.labels}};
  put(out, "difficult", scored.difficult);
  out["scores"] = scored.scores;
  return out;
}

void put_predictions(const SplitResult& split, Json& out) {
  if (split.predictions.empty() && split.scored.empty()) return;
  Json& list = out["predictions"] = Json::array();
  for (const ItemPrediction& prediction : split.predictions)
    list.push_back(prediction_json(prediction));
  for (const ScoredItem& scored : split.scored) list.push_back(scored_json(scored));
}

void put_fit_statistics(const SplitResult& split, Json& out) {
  put(out, "C", split.C);
  if (const auto& found = split.indefinite)
    out["indefinite"] = {{"smallest_eigenvalue", found->smallest_eigenvalue},
                         {"largest_eigenvalue", found->largest_eigenvalue},
                         {"negative", found->negative}};
  if (const auto& solver = split.convergence)
    out["convergence"] = {
        {"steps", solver->steps}, {"violation", solver->violation}, {"reached", solver->reached}};
}

void put_summaries(const Measures<MeasureSummary>& measures, Json& out) {
  for (const auto& measure : Measures<MeasureSummary>::named()) {
    const auto& summary = measures.*measure.member;
    if (!summary) continue;
    const std::string name = measure.name;
    out[name + "_mean"] = summary->mean;
    if (summary->deviation) out[name + "_std"] = *summary->deviation;
    if (summary->low && summary->high) out[name + "_interval"] = {*summary->low, *summary->high};
  }
}

Json label_json(const LabelResult& label) {
  Json out{{"label", label.label}};
  put(out, "auc_mean", label.auc);
  put(out, "average_precision_mean", label.average_precision);
  put(out, "average_precision_11_point_mean", label.average_precision_11_point);
  return out;
}

template <class Value, class Writer>
void put_objects(Json& out, const char* name, const std::vector<Value>& values,
                 const Writer& writer) {
  Json& list = out[name] = Json::array();
  for (const Value& value : values) list.push_back(writer(value));
}

Json method_json(const MethodResult& method) {
  Json out{{"method", method.method}};
  put(out, "group", method.group);
  put(out, "series", method.series);
  put(out, "recipe", method.recipe);
  put(out, "full_recipe", method.full_recipe);
  if (const auto& used = method.universal)
    out["universal"] = {{"file", used->file}, {"checksum", used->checksum}};
  put(out, "fused", method.fused);
  put(out, "weights", method.weights);
  put_summaries(method.measures, out);
  if (!method.labels.empty()) put_objects(out, "labels", method.labels, label_json);
  out["seconds"] = seconds_json(method.seconds);
  put(out, "peak_memory_mib", method.peak_memory_mib);
  put_objects(out, "splits", method.splits, [](const SplitResult& s) { return to_json(s); });
  return out;
}

Json data_json(const DataFacts& data) {
  Json out = Json::object();
  put(out, "items", data.items);
  put(out, "classes", data.classes);
  out["left_out"] = data.left_out;
  out["notes"] = data.notes;
  put(out, "key", data.key);
  put(out, "path", data.path);
  return out;
}

Json comparison_json(const ComparisonRow& row) {
  Json out{{"name", row.name}, {"unit", row.unit}};
  put(out, "paper", row.paper);
  put(out, "paper_std", row.paper_std);
  put(out, "tolerance", row.tolerance);
  put(out, "ours", row.ours);
  put(out, "ours_std", row.ours_std);
  out["verdict"] = row.verdict;
  put(out, "note", row.note);
  return out;
}

Json series_json(const CurveSeries& series) {
  Json out{{"name", series.name}};
  if (series.paper) out["paper"] = true;
  Json& points = out["points"] = Json::array();
  for (const CurvePoint& p : series.points)
    points.push_back(p.low && p.high ? Json{p.x, p.y, *p.low, *p.high} : Json{p.x, p.y});
  return out;
}

Json curve_json(const Curve& curve) {
  Json out{{"title", curve.title},
           {"x", {{"label", curve.x_label}, {"log", curve.x_log}}},
           {"y", {{"label", curve.y_label}, {"unit", curve.unit}}}};
  put_objects(out, "series", curve.series, series_json);
  return out;
}

Json weight_map_json(const WeightMap& map) {
  return {{"title", map.title}, {"levels", map.levels}};
}

Json picture_json(const Picture& picture) {
  return {{"title", picture.title}, {"caption", picture.caption}, {"source", picture.source}};
}

Json experiment_json(const ReproducedExperiment& experiment) {
  return {{"name", experiment.name},
          {"paper", experiment.paper},
          {"title", experiment.title},
          {"quick", experiment.quick},
          {"command", experiment.command}};
}

}  // namespace

Json to_json(const SplitResult& split) {
  Json out = Json::object();
  put(out, "seed", split.seed);
  put(out, "concept", split.concept_name);
  for (const auto& measure : Measures<double>::named())
    put(out, measure.name, split.measures.*measure.member);
  put(out, "auc_per_label", split.auc_per_label);
  put(out, "average_precision_per_label", split.average_precision_per_label);
  put(out, "average_precision_11_point_per_label", split.average_precision_11_point_per_label);
  put_predictions(split, out);
  if (!split.seconds.empty()) out["seconds"] = seconds_json(split.seconds);
  if (!split.recipe.empty()) out["recipe"] = split.recipe;
  put(out, "estimate", split.estimate);
  put(out, "estimate_error", split.estimate_error);
  put_fit_statistics(split, out);
  if (!split.kernel_shares.empty())
    put_objects(out, "kernel_shares", split.kernel_shares, [](const KernelShare& share) {
      return Json{{"branch", share.branch}, {"share", share.share}, {"parts", share.parts}};
    });
  put(out, "num_train", split.num_train);
  put(out, "num_test", split.num_test);
  put(out, "peak_memory_mib", split.peak_memory_mib);
  return out;
}

Json to_json(const Results& results) {
  Json out = Json::object();
  put(out, "version", results.version);
  put(out, "seed", results.seed);
  put(out, "class_names", results.class_names);
  if (results.data) out["data"] = data_json(*results.data);
  for (const auto& [name, value] : results.protocol) out["protocol"][name] = value;
  if (const auto& machine = results.machine) {
    Json& facts = out["machine"] = {{"cpu", machine->cpu}};
    put(facts, "cores", machine->cores);
    put(facts, "compiler", machine->compiler);
  }
  put_objects(out, "results", results.methods, method_json);
  // A reproduction always says what it compared and drew, even if that is nothing.
  const bool whole = results.experiment.has_value();
  if (whole || !results.comparison.empty())
    put_objects(out, "comparison", results.comparison, comparison_json);
  if (whole || !results.curves.empty()) put_objects(out, "curves", results.curves, curve_json);
  put(out, "title", results.title);
  if (results.experiment) out["experiment"] = experiment_json(*results.experiment);
  if (whole || !results.notes.empty()) out["notes"] = results.notes;
  for (const auto& [item, picture] : results.thumbnails) out["thumbnails"][item] = picture;
  if (!results.weight_maps.empty())
    put_objects(out, "weight_maps", results.weight_maps, weight_map_json);
  if (!results.pictures.empty()) put_objects(out, "pictures", results.pictures, picture_json);
  return out;
}

void write_results(const std::filesystem::path& file, const Results& results) {
  write_file_atomically(file, to_json(results).dump(1) + "\n");
}

Json summary_json(Results results) {
  results.thumbnails.clear();
  results.pictures.clear();
  for (MethodResult& method : results.methods) {
    method.full_recipe.clear();
    for (SplitResult& split : method.splits) {
      split.predictions.clear();
      split.scored.clear();
      split.seconds.clear();
      split.auc_per_label.clear();
      split.average_precision_per_label.clear();
      split.average_precision_11_point_per_label.clear();
    }
  }
  Json out = to_json(results);
  if (out.contains("data")) out["data"].erase("left_out");
  return out;
}

}  // namespace muster
