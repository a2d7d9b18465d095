// Runs a paper's experiment on the user's copy of the data: what `muster reproduce` does.
#pragma once

#include <filesystem>

#include "muster/experiment/experiment.h"
#include "muster/reproduce/paper_experiment.h"

namespace muster {

struct ReproduceOptions {
  std::filesystem::path data;  // holds one folder per data set
  std::filesystem::path out;
  bool quick = false;     // fewer splits and values, as the file says
  bool stand_in = false;  // on the file's other data if the paper's are not there
  std::string on;         // if not empty: on this data set, whatever the file says
  SourceOptions source;
  // What to run now: at most so many splits (0: all), and methods whose name, with its value of the
  // sweep, contains this. The rest is taken if it was done before, and is missing otherwise.
  int first_splits = 0;
  std::string only;
};

// The folder that the experiment will read. If it is missing, throws a data error that says what it
// is, where it comes from and how it is laid out. Requires that the experiment is not a study.
std::filesystem::path data_folder(const PaperExperiment& experiment,
                                  const ReproduceOptions& options);

// What a method does at a value of the sweep, if there is one.
Recipe recipe_at(const PaperExperiment& experiment, const PaperMethod& method,
                 const std::optional<double>& value);

// The items of the dataset whose first label is one of the classes, which become its only ones; all
// items if `classes` is empty. A class that is not there is a data error.
Dataset select_classes(const Dataset& dataset, const std::vector<std::string>& classes);

// Every split of every method is kept under OUT/runs and taken from there when the same is run
// again. Returns the record that it also wrote to OUT/results.json, with curves and the comparison;
// OUT/summary.json is the same without predictions.
Results reproduce(const PaperExperiment& experiment, const ReproduceOptions& options,
                  const Progress& progress, const Announce& announce);

}  // namespace muster
