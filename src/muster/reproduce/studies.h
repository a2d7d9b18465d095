// Experiments that need no data: what a paper simulates. An experiment file names one by `study`.
#pragma once

#include "muster/core/progress.h"
#include "muster/reproduce/paper_experiment.h"
#include "muster/results/results.h"

namespace muster {

// The verdict of a row for which the paper gives no number.
inline constexpr const char* kPlotOnly = "the paper has a plot only";

// Runs experiment.study; an unknown one is a usage error. The record has curves and a comparison.
Results run_study(const PaperExperiment& experiment, bool quick, const Progress& progress);

// EMK figure 1: exp(-|x - y|^2) in one dimension, by 20 learned and by 200 random features.
Results kernel_approximation_study(uint64_t seed, const Progress& progress);
// PMK figure 3: how well the pyramid match follows the cost of the optimal partial matching.
// `num_sets` sets of points with whole coordinates uniform in [1, 1000]^2, once of 100 points each,
// once of 5 to 100; all pairs.
Results partial_matching_study(uint64_t seed, size_t num_sets, const Progress& progress);

}  // namespace muster
