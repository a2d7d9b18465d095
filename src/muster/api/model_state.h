// What a Model of the front door holds.
#pragma once

#include "muster/muster.h"
#include "muster/pipeline/ensemble.h"

namespace muster {

class Model::State {
 public:
  // `file` is where it was loaded from, for messages.
  explicit State(Ensemble ensemble, FitReport report = {}, std::string file = "")
      : ensemble(std::move(ensemble)),
        class_names(std::make_shared<std::vector<std::string>>(this->ensemble.class_names())),
        report(std::move(report)),
        file(std::move(file)) {}

  const Ensemble ensemble;
  const std::shared_ptr<const std::vector<std::string>> class_names;
  const FitReport report;
  const std::string file;

  // Row `row` of what the ensemble says.
  Prediction prediction(const Predictions& all, size_t row) const;
};

// Which of the classes it is; one that the model does not know is a usage error.
size_t class_index(const std::vector<std::string>& class_names, std::string_view name);

// None for a classifier that keeps no record.
std::optional<FitFacts> fit_facts(const Pipeline& pipeline);

inline Model make_model(Pipeline pipeline, FitReport report) {
  return Model(std::make_shared<Model::State>(Ensemble(std::move(pipeline)), std::move(report)));
}

}  // namespace muster
