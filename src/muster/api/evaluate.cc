#include <cmath>

#include "muster/api/item_labels.h"
#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/evaluate/measures.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

void measure_one_label(const Labels& truth, const Matrix<double>& scores, Evaluation& out) {
  const std::vector<int> expected = true_classes(truth), predicted = predicted_classes(scores);
  out.accuracy = accuracy(expected, predicted);
  out.mean_class_accuracy = mean_class_accuracy(expected, predicted, truth.num_classes());
  const Matrix<int> counts = confusion_matrix(expected, predicted, truth.num_classes());
  for (size_t r = 0; r < counts.rows(); ++r)
    out.confusion.emplace_back(counts.row(r).begin(), counts.row(r).end());
}

void measure_labels(const Labels& truth, const Matrix<double>& scores, Evaluation& out) {
  const LabelMeasures measures = label_measures(scores, truth);
  out.mean_auc = mean_of_defined(measures.auc);
  out.mean_average_precision = mean_of_defined(measures.average_precision);
  out.mean_average_precision_11_point = mean_of_defined(measures.average_precision_11_point);
  if (!measures.inferred_average_precision.empty())
    out.mean_inferred_average_precision =
        defined(mean_of_defined(measures.inferred_average_precision));
  for (size_t k = 0; k < truth.class_names.size(); ++k)
    out.labels.push_back({truth.class_names[k], defined(measures.auc[k]),
                          defined(measures.average_precision[k]),
                          defined(measures.average_precision_11_point[k]),
                          measures.inferred_average_precision.empty()
                              ? std::nullopt
                              : defined(measures.inferred_average_precision[k])});
}

// `labels` has an entry for each item of the source, `wanted` are those to take.
Evaluation evaluate_source(const Model::State& state, const SetSource& source,
                           std::span<const size_t> wanted, const Labels& labels,
                           const std::string& data, const Run& run) {
  const Ensemble& ensemble = state.ensemble;
  require_same_items(source);
  const Labels known = in_model_classes(labels, ensemble.class_names());
  if (!ensemble.multi_label() && !known.single_label())
    throw data_error(
        "{}: its items have several labels, but the model was trained on data with one label per "
        "item",
        data);
  ensemble.check_kinds(source, wanted);
  const Readable readable = readable_items(source, ensemble.extractions(), wanted, run.progress());
  run.say_left_out(reasons_of(readable.left_out));
  const Predictions all = ensemble.predict(source, readable.items, run.progress());
  const Labels truth = known.select(readable.items);
  Evaluation out;
  out.class_names = ensemble.class_names();
  out.left_out = named(source, readable.left_out);
  for (size_t i = 0; i < readable.items.size(); ++i) {
    std::vector<std::string> names;
    for (const int label : truth.of_item[i])
      names.push_back(truth.class_names[static_cast<size_t>(label)]);
    out.items.push_back(
        {source.name(readable.items[i]), std::move(names), state.prediction(all, i)});
  }
  if (ensemble.multi_label())
    measure_labels(truth, all.scores, out);
  else
    measure_one_label(truth, all.scores, out);
  return out;
}

template <class Texts>
Evaluation evaluate_inputs(const Model::State& state, Inputs items, const Texts& texts,
                           const RunOptions& options) {
  const Run run(options, "evaluate");
  const Labels labels = make_labels(texts, items.size());
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  common_kind(source, "evaluate");
  return evaluate_source(state, source, all_items_of(source), labels, "evaluate", run);
}

}  // namespace

Evaluation Model::evaluate(const std::filesystem::path& data, const RunOptions& options) const {
  const Run run(options, "evaluate");
  const Dataset dataset = open_dataset(data);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  return evaluate_source(*state_, source, items_of_part(dataset, Part::kTest), dataset.labels,
                         data.string(), run);
}

Evaluation Model::evaluate(Inputs items, std::span<const std::string> labels,
                           const RunOptions& options) const {
  return evaluate_inputs(*state_, items, labels, options);
}

Evaluation Model::evaluate(Inputs items, std::span<const std::vector<std::string>> labels,
                           const RunOptions& options) const {
  return evaluate_inputs(*state_, items, labels, options);
}

}  // namespace muster
