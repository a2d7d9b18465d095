// Training and evaluating on any number of sets that are made from a seed and never stored, alone
// or under mpirun: how do time and memory of a rank grow?
//   many_sets TRAIN TEST [RECIPE] [THREADS]
// One line of JSON: seconds by stage, for each rank the peak memory and what it sent, the accuracy,
// and the checksum of the model, which is the same for any number of ranks.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/core/memory.h"
#include "muster/core/parallel.h"
#include "muster/core/timer.h"
#include "muster/evaluate/measures.h"
#include "muster/pipeline/ensemble.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/sharded_items.h"
#include "muster/store/checksum.h"
#include "muster/store/safetensors.h"
#include "support/generated_source.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecipe = "emk-fourier:dim=2000,gamma=0.1/linear-svm:folds=3";

Json of_all_ranks(const Json& own) {
  Json out = Json::array();
  for (const std::string& text : gather_texts(own.dump())) out.push_back(Json::parse(text));
  return out;
}

std::string checksum_of_model(const Pipeline& pipeline) {
  TensorMap map;
  pipeline.save(TensorWriter(map));
  return fmt::format("{:016x}", checksum_of(format_safetensors(map, "model")));
}

Json run(size_t train, size_t test, const std::string& recipe) {
  const GeneratedSource source(train, 1, {}), unseen(test, 2, {});
  Json out{{"train", train}, {"test", test}, {"ranks", world().size()}, {"recipe", recipe}};
  const double before = peak_memory_mib();
  StageSeconds stages;
  const Timer training;
  const Pipeline pipeline =
      fit_pipeline(plan_recipe(parse_recipe(recipe)), source, all_items_of(source), source.labels(),
                   3, {}, {.seconds = &stages});
  out["train_seconds"] = training.seconds();
  out["stages"] = stages;
  const double trained = peak_memory_since_reset_mib();
  const Traffic of_training = world().traffic();
  reset_peak_memory();
  out["model"] = checksum_of_model(pipeline);
  const size_t dim = joined_dim(pipeline.branches());
  const Timer evaluating;
  const Predictions found = Ensemble(pipeline).predict(unseen, all_items_of(unseen), {});
  out["accuracy"] = accuracy(true_classes(unseen.labels()), predicted_classes(found.scores));
  out["evaluate_seconds"] = evaluating.seconds();
  const double mib = 1 << 20;
  const ItemTiles tiles(all_items_of(source));
  out["by_rank"] = of_all_ranks(
      {{"mib_before", before},
       {"train_peak_mib", trained},
       {"evaluate_peak_mib", peak_memory_since_reset_mib()},
       {"vectors_mib", static_cast<double>(tiles.num_here() * dim * sizeof(float)) / mib},
       {"train_sent_mib", static_cast<double>(of_training.bytes_given) / mib},
       {"train_waiting_seconds", of_training.waiting_seconds},
       {"sent_mib", static_cast<double>(world().traffic().bytes_given) / mib}});
  return out;
}

int main_of(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: many_sets TRAIN TEST [RECIPE] [THREADS]\n");
    return 2;
  }
  const ThreadLimit limit(argc > 4 ? std::atoi(argv[4]) : 1);
  try {
    const Json row = run(std::strtoul(argv[1], nullptr, 10), std::strtoul(argv[2], nullptr, 10),
                         argc > 3 && *argv[3] ? argv[3] : kRecipe);
    if (on_first_rank()) std::printf("%s\n", row.dump().c_str());
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "many_sets: %s\n", error.what());
    return static_cast<int>(error.kind());
  }
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  if (muster::launched_ranks() > 1) muster::join_world();
  const int code = muster::main_of(argc, argv);
  std::fflush(stdout);
  if (!muster::world().farewell(code, 10)) muster::world().abort(code);
  return code;
}
