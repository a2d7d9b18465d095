#include "muster/reproduce/studies.h"

#include "muster/core/error.h"
#include "muster/pipeline/version.h"

namespace muster {

Results run_study(const PaperExperiment& experiment, bool quick, const Progress& progress) {
  Results out;
  if (experiment.study == "kernel-approximation")
    out = kernel_approximation_study(experiment.seed, progress);
  else if (experiment.study == "partial-matching")
    out = partial_matching_study(experiment.seed, quick ? 30 : 100, progress);
  else
    throw usage_error(
        "experiment {}: unknown study '{}'; choose from: kernel-approximation, partial-matching",
        experiment.name, experiment.study);
  out.version = kVersion;
  out.seed = experiment.seed;
  return out;
}

}  // namespace muster
