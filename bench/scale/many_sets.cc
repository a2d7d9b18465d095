// Many small sets through the front door: trains fisher with 16 Gaussians and a linear SVM on sets
// of ten 3-D points in two classes, then predicts as many others. Two threads.
//   many_sets OUT.json [SETS]      SETS is a million unless given
#include <chrono>

#include "muster/core/matrix.h"
#include "muster/core/memory.h"
#include "muster/core/rng.h"
#include "muster/muster.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kPoints = 10, kDim = 3, kClusters = 16;
constexpr const char* kRecipe = "fisher:components=16/linear-svm";

// Points around common centres; the classes differ in how often they visit each of them.
struct Sets {
  std::vector<float> values;
  std::vector<SetView> views;
  std::vector<std::string> labels;

  Sets(size_t count, uint64_t seed) : values(count * kPoints * kDim), views(count), labels(count) {
    Rng rng(seed), of_centres(1);
    Matrix<float> centres(kClusters, kDim);
    for (float& value : centres.values()) value = static_cast<float>(of_centres.uniform());
    for (size_t i = 0; i < count; ++i) {
      const bool odd = rng.below(2) == 1;
      float* point = values.data() + i * kPoints * kDim;
      views[i] = {.vectors = point, .rows = kPoints, .dim = kDim};
      labels[i] = odd ? "odd" : "even";
      for (size_t p = 0; p < kPoints; ++p, point += kDim) {
        const size_t any = rng.below(kClusters);
        const size_t centre = rng.below(3) == 0 ? any / 2 * 2 + (odd ? 1 : 0) : any;
        for (size_t t = 0; t < kDim; ++t)
          point[t] = centres(centre, t) + static_cast<float>(0.1 * rng.normal());
      }
    }
  }
};

struct Taken {
  double wall_s, cpu_s;  // of all threads
};

template <class Work>
Taken taken_by(const Work& work) {
  const double wall = clock_seconds(CLOCK_MONOTONIC), cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  work();
  return {clock_seconds(CLOCK_MONOTONIC) - wall, clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

nlohmann::ordered_json train_and_predict(size_t count) {
  const Sets training(count, 2), test(count, 3);
  reset_peak_memory();
  TrainOptions options;
  options.recipe = kRecipe;
  options.threads = 2;
  std::optional<Model> model;
  const Taken to_train = taken_by([&] { model = train(training.views, training.labels, options); });
  RunOptions run;
  run.threads = 2;
  std::vector<Answer> answers;
  const Taken to_predict = taken_by([&] { answers = model->predict(test.views, run); });
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) right += answers[i]->label() == test.labels[i] ? 1 : 0;
  return {{"sets", count},
          {"points", kPoints},
          {"dim", kDim},
          {"recipe", kRecipe},
          {"train_s", to_train.wall_s},
          {"train_cpu_s", to_train.cpu_s},
          {"train_stages_s", model->report().seconds},
          {"predict_s", to_predict.wall_s},
          {"predict_cpu_s", to_predict.cpu_s},
          {"accuracy", static_cast<double>(right) / static_cast<double>(count)},
          {"peak_memory_mib", peak_memory_since_reset_mib()}};
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: many_sets OUT.json [SETS]\n");
    return 2;
  }
  nlohmann::ordered_json record{{"piece", "many"}, {"machine", muster::bench::machine_facts()}};
  record["growth"] =
      muster::bench::train_and_predict(argc > 2 ? std::stoul(argv[2]) : size_t{1'000'000});
  std::printf("%s\n", record["growth"].dump().c_str());
  std::ofstream(argv[1]) << record.dump(1) << "\n";
}
