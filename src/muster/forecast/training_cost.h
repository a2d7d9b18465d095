// What training costs one process, stage by stage, with what ranks would divide of it, and what it
// would cost on more items and on several ranks. Two trainings on samples of the items are
// measured; what is learned from sampled vectors grows as their number, passes over items as the
// items, all else as the two trainings show.
#pragma once

#include <string>
#include <vector>

#include "muster/core/labels.h"
#include "muster/recipe/plan.h"
#include "muster/source/set_source.h"

namespace muster {

// A step of the progress that training reports, or "other" for what is between steps.
struct StageCost {
  std::string stage;
  double seconds = 0;       // in all
  double divided = 0;       // of these in loops that ranks divide
  double parts = 1;         // into so many parts, on average
  double bytes_shared = 0;  // what the ranks make in turn: each gives its part of them to all
  double bytes_summed = 0;  // what each rank gives: its part of sums
  double exchanges = 0;     // how often ranks wait for each other
};

struct TrainingCost {
  double items = 0;
  double vectors_per_item = 0;  // of sets, before they are encoded
  double sampled = 0;           // vectors that stages learn from
  std::vector<StageCost> stages;
  // Bytes of all items.
  double features = 0;         // as the cache in memory keeps them
  double vectors = 0;          // encoded, or represented sets
  double kernel_matrix = 0;    // on every rank
  bool stays_sharded = false;  // vectors stay on their ranks
};

// Trains on some of the items; trains as if there were `as_if_items` of them if the way of training
// depends on it. No ranks but this process.
TrainingCost measure_training(const Plan& plan, const SetSource& source,
                              std::span<const size_t> items, const Labels& labels_of_items,
                              uint64_t seed, size_t as_if_items, const Progress& progress);

// Of so many items, from the costs of few and of about twice as many.
TrainingCost extrapolate(const Plan& plan, const TrainingCost& few, const TrainingCost& more,
                         double items);

// Where the ranks run.
struct RankMachines {
  size_t ranks = 1;
  double crowding = 1;               // threads of ranks per core, if more than one
  double bytes_per_second = 1.25e8;  // of the network, each way
  double seconds_per_exchange = 1e-4;
};

struct RankForecast {
  double seconds = 0;
  double bytes_given = 0;   // by each rank
  double memory_bytes = 0;  // of each rank, for what grows with the items
  std::vector<double> stage_seconds, stage_bytes_given;  // by stage of the cost
};
RankForecast forecast(const TrainingCost& cost, const RankMachines& machines);

}  // namespace muster
