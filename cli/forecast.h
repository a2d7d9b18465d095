// What `muster inspect --ranks` says: how long training would take on so many ranks, what each of
// them needs and sends.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common.h"
#include "muster/dataset/dataset.h"

namespace muster::cli {

struct ForecastArguments {
  int ranks = 0;  // none: no forecast
  int items = 0;  // 0: as many as there are
  int sample = 400;
  double megabits = 1000;
  double cores_per_rank = 0;  // 0: as many as threads
  MethodArguments choice;

  void add_to(CLI::App& app);
};

// Trains on `sample` of the items, and on half of them. {"ranks", "items", "recipe", "sample",
// "seconds", "stages": [...], ...}
nlohmann::ordered_json forecast_ranks(const ForecastArguments& args, const Dataset& dataset,
                                      const std::vector<size_t>& training, const Common& common);
void print_forecast(const nlohmann::ordered_json& forecast);

}  // namespace muster::cli
