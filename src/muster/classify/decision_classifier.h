// The classifier that all trainings end in: decision functions on vectors or on rows of a Gram, how
// they were chosen, and the rule that turns their scores into probabilities. Immutable;
// thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "muster/classify/classifier.h"
#include "muster/classify/decisions.h"
#include "muster/classify/logistic_training.h"
#include "muster/crossval/cross_validation.h"

namespace muster {

// How decisions become scores and scores become probabilities.
struct ScoreRule {
  Scheme scheme = Scheme::kOneVsAll;
  // Set: the probabilities are the logistic model's own, and the calibration is the identity, which
  // only says how many classes there are. Empty: they are calibrated.
  std::optional<LogisticScheme> logistic;
};

std::unique_ptr<Classifier> make_classifier(ScoreRule rule, LinearDecisions decisions,
                                            CvResult fit);
std::unique_ptr<Classifier> make_classifier(ScoreRule rule, GramDecisions decisions, CvResult fit);

// What such a classifier saved. A number of decision functions that does not fit the classes and
// the rule is a data error.
std::unique_ptr<Classifier> load_linear_classifier(ScoreRule rule, const TensorReader& in);
std::unique_ptr<Classifier> load_gram_classifier(ScoreRule rule, const TensorReader& in);

}  // namespace muster
