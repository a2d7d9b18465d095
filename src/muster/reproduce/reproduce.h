// Runs a paper's experiment on the user's copy of the data: what `muster reproduce` does.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "muster/experiment/experiment.h"
#include "muster/reproduce/paper_experiment.h"

namespace muster {

struct ReproduceOptions {
  std::filesystem::path data;  // holds a folder a data set
  std::filesystem::path out;
  bool quick = false;     // fewer splits and values, as the file says
  bool stand_in = false;  // on the file's other data where the paper's are not there
  std::string on;         // where not empty: on this data set, whatever the file says
  CacheOptions cache;
};

// The folder that the experiment will read. Where it is missing, a data error that says what it is,
// where it comes from and how it is laid out. Requires that the experiment is no study.
std::filesystem::path data_folder(const PaperExperiment& experiment,
                                  const ReproduceOptions& options);

// What a method does at a value of the sweep, where there is one.
Recipe recipe_at(const PaperExperiment& experiment, const PaperMethod& method,
                 const std::optional<double>& value);

// Of the dataset's items those whose first label is one of the classes, which become its only ones;
// all where `classes` is empty. A class that is not there is a data error.
Dataset select_classes(const Dataset& dataset, const std::vector<std::string>& classes);

// Every split of every method is kept under OUT/runs and taken from there when the same is run
// again. Returns the record that it also wrote to OUT/results.json, with curves and the comparison;
// OUT/summary.json is the same without predictions.
nlohmann::ordered_json reproduce(const PaperExperiment& experiment, const ReproduceOptions& options,
                                 const Progress& progress, const Announce& announce);

// The record without predictions, thumbnails and what else grows with the data.
nlohmann::ordered_json summary_of(const nlohmann::ordered_json& record);

}  // namespace muster
