#include "forecast.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "muster/forecast/training_cost.h"
#include "muster/source/cached_source.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

// Evenly over them, in their order.
std::vector<size_t> some_of(const std::vector<size_t>& items, size_t count) {
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(items[i * items.size() / count]);
  return out;
}

Json stages_json(const TrainingCost& cost, const RankForecast& alone, const RankForecast& there) {
  Json out = Json::array();
  for (size_t s = 0; s < cost.stages.size(); ++s)
    out.push_back({{"stage", cost.stages[s].stage},
                   {"seconds_alone", alone.stage_seconds[s]},
                   {"seconds", there.stage_seconds[s]},
                   {"sent_mib", there.stage_bytes_given[s] / (1 << 20)}});
  return out;
}

}  // namespace

void ForecastArguments::add_to(CLI::App& app) {
  app.add_option(
         "--ranks", ranks,
         "forecast time, memory and network volume of train on so many ranks, from training "
         "on a small sample")
      ->check(CLI::Range(1, 100000));
  app.add_option("--items", items, "with --ranks: forecast for so many items of this kind")
      ->check(CLI::Range(1, 1000000000));
  app.add_option("--sample", sample, "with --ranks: items of the larger of two samples")
      ->check(CLI::Range(8, 1000000))
      ->capture_default_str();
  app.add_option("--network-mbit", megabits, "with --ranks: megabits per second between ranks")
      ->check(CLI::Range(0.001, 1e9))
      ->capture_default_str();
  app.add_option("--cores-per-rank", cores_per_rank,
                 "with --ranks: if ranks have fewer cores than threads; 0.5 if two share a core")
      ->check(CLI::Range(0.001, 1e6));
  choice.add_to(app);
}

Json forecast_ranks(const ForecastArguments& args, const Dataset& dataset,
                    const std::vector<size_t>& training, const Common& common) {
  MethodChoice choice = args.choice;
  if (choice.method.empty() && choice.recipe.empty()) choice.method = "fisher";
  const Plan plan = plan_recipe(fit_to_data(chosen_recipe(choice, ""), dataset.kind, common));
  const size_t target = args.items > 0 ? static_cast<size_t>(args.items) : training.size();
  const size_t more = std::min(static_cast<size_t>(args.sample), training.size());
  const auto measure = [&](size_t count) {
    const std::vector<size_t> some = some_of(training, count);
    const CachedSource source(dataset);  // each with a cache of its own: both extract
    return measure_training(plan, source, some, dataset.labels.select(some), common.seed, target,
                            common.progress());
  };
  const TrainingCost small = measure(std::max<size_t>(more / 2, 4)), large = measure(more);
  const TrainingCost whole = extrapolate(plan, small, large, static_cast<double>(target));
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  const auto threads = common.threads > 0 ? static_cast<unsigned>(common.threads) : cores;
  RankMachines machines;
  const RankForecast alone = forecast(whole, machines);
  machines.ranks = static_cast<size_t>(args.ranks);
  machines.bytes_per_second = 1e6 / 8 * args.megabits;
  if (args.cores_per_rank > 0) machines.crowding = std::max(1.0, threads / args.cores_per_rank);
  const RankForecast there = forecast(whole, machines);
  return {{"ranks", args.ranks},
          {"threads", threads},
          {"items", target},
          {"recipe", plan.recipe().text()},
          {"sample", more},
          {"seconds_alone", alone.seconds},
          {"seconds", there.seconds},
          {"efficiency", alone.seconds / there.seconds / args.ranks},
          {"memory_mib", there.memory_bytes / (1 << 20)},
          {"memory_mib_alone", alone.memory_bytes / (1 << 20)},
          {"sent_mib", there.bytes_given / (1 << 20)},
          {"vectors_stay_sharded", whole.stays_sharded},
          {"network_mbit", args.megabits},
          {"stages", stages_json(whole, alone, there)}};
}

void print_forecast(const Json& forecast) {
  print_result(
      "training on {} ranks of {}, forecast from {} of {} items: {:.0f} s (one rank: {:.0f} s)\n",
      forecast["ranks"].get<int>(), counted(forecast["threads"], "thread"),
      forecast["sample"].get<size_t>(), forecast["items"].get<size_t>(),
      forecast["seconds"].get<double>(), forecast["seconds_alone"].get<double>());
  print_result("each rank: {} of memory for what grows with the items, sends {}\n",
               bytes_text(forecast["memory_mib"].get<double>() * (1 << 20)),
               bytes_text(forecast["sent_mib"].get<double>() * (1 << 20)));
  print_result("  {:<20} {:>12} {:>12} {:>12}\n", "stage", "s, one rank", "s", "sent MiB");
  for (const Json& stage : forecast["stages"])
    print_result("  {:<20} {:>12.2f} {:>12.2f} {:>12.2f}\n", stage["stage"].get<std::string>(),
                 stage["seconds_alone"].get<double>(), stage["seconds"].get<double>(),
                 stage["sent_mib"].get<double>());
}

}  // namespace muster::cli
