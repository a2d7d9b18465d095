// Compares methods under a protocol: what `muster bench` runs. Every split of every method is one
// file under OUT/raw, written when it is done and taken from there when the same run is started
// again, with the scores of its test items beside it (.scores.npy, one row per item in the order of
// its predictions); OUT/results.json gathers them. Raw predictions are kept, and measures are
// computed from them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "muster/choose/choose.h"
#include "muster/evaluate/splits.h"
#include "muster/recipe/plan.h"
#include "muster/results/results.h"
#include "muster/source/cached_source.h"

namespace muster {

struct Method {
  std::string name;
  Recipe recipe;
  std::filesystem::path universal = {};  // a UniversalFile to use, unless empty
  // If given, the recipe counts for nothing: one is chosen for each split from its training items,
  // with a seed of the split's own and, with leave-one-object-out, by object.
  std::optional<ChooseOptions> choose = {};
};

// A row of its own: the weighted mean of the probabilities of some methods (score fusion, UGM 4.1).
struct Fusion {
  std::string name;
  std::vector<size_t> members;  // indices into the methods
  std::vector<double> weights;  // positive, one per member
};

struct ExperimentOptions {
  std::vector<Method> methods;
  std::vector<Fusion> fusions;
  ProtocolOptions protocol;
  uint64_t seed = 1;
  std::filesystem::path out;
  SourceOptions source;
  // What may be run, if given; the other splits are taken if they were done before, and are
  // missing from the record otherwise.
  std::function<bool(const std::string& method, size_t split)> may_run = {};
};

// What happened, for the command to tell: called between steps with one sentence.
using Announce = std::function<void(const std::string&)>;

// Returns the record that it also wrote to OUT/results.json. Items that cannot be read are left out
// of all methods and listed in the record. The figures depend on data, methods, protocol and seed
// only.
Results run_experiment(const Dataset& dataset, const ExperimentOptions& options,
                       const Progress& progress, const Announce& announce);

}  // namespace muster
