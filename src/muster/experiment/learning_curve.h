// A comparison once for each value of an option of the protocol, and what more training data would
// bring.
#pragma once

#include <string>
#include <vector>

#include "muster/experiment/experiment.h"

namespace muster {

struct CurveStep {
  double num_train = 0;   // per class
  double accuracy = 0;    // mean
  double half_width = 0;  // of its 95 % interval; 0 if there is none
};

// The error as a power of the number of training items, a n^-b by least squares on logarithms, and
// where that leads with twice as many.
struct Outlook {
  double accuracy = 0;        // expected with twice the items
  double error_falls_by = 0;  // the share of the error that a doubling takes away
};
// Requires two steps or more in growing order.
Outlook outlook(const std::vector<CurveStep>& steps);

std::string outlook_sentence(const std::string& method, const std::vector<CurveStep>& steps);

struct SweptOption {
  std::string name;            // of ProtocolOptions
  std::vector<double> values;  // two or more; run in growing order
};

// Runs options.methods for every value, each kept under OUT/NAME-VALUE; returns the record that it
// also wrote to OUT/results.json, with curves and, if the option is `train`, one sentence per
// method.
Results run_curve(const Dataset& dataset, const ExperimentOptions& options, SweptOption option,
                  const Progress& progress, const Announce& announce);

}  // namespace muster
