// What was measured beside what the paper has: curves and rows.
#pragma once

#include <vector>

#include "muster/experiment/runs.h"
#include "muster/reproduce/paper_experiment.h"

namespace muster {

// One curve per part, of the experiment's measure over its sweep, ours and the paper's; then the
// same for the measures that are drawn as well.
std::vector<Curve> curves_of(const PaperExperiment& experiment,
                             const std::vector<MeasuredRun>& runs);

// One row per figure of the paper and per claim. `comparable` is false on other data than the
// paper's: then there is no verdict.
std::vector<ComparisonRow> comparison_of(const PaperExperiment& experiment,
                                         const std::vector<MeasuredRun>& runs, bool comparable);

}  // namespace muster
