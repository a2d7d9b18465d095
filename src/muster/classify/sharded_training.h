// Linear classifiers on vectors that stay on the ranks that made them: all ranks work at each
// training together (solve/primal_newton.h), in cross-validation fold by fold. The same bytes for
// any number of ranks. Memory of a rank besides its vectors: some 20 bytes per item there and
// problem, and 8 bytes per item of all ranks, class and value of C tried, for the scores of items
// that were held out.
#pragma once

#include "muster/classify/decision_classifier.h"
#include "muster/classify/linear_training.h"
#include "muster/cluster/sharded_vectors.h"

namespace muster {

struct ShardedTraining {
  const char* stage = "";
  ScoreRule rule = {};
  PrimalOptions primal = {};
  CvOptions cv = {};
  bool centre = true;
};

// All ranks call it, outside of divided loops. Throws as fit_linear_svm does. A solver that stops
// short of its tolerance says so in the statistics.
std::unique_ptr<Classifier> fit_sharded(const ShardedTraining& how, ShardedVectors vectors,
                                        const Labels& labels, const Rng& rng,
                                        const Progress& progress);

}  // namespace muster
