// Small fixed jobs whose instructions are counted (compare): instruction_jobs NAME runs one of
// them, without a name it lists them. Only what is within counted() counts.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "muster/muster.h"

namespace muster {
namespace {

template <class Job>
void counted(const Job& job) {
  CALLGRIND_START_INSTRUMENTATION;
  job();
  CALLGRIND_STOP_INSTRUMENTATION;
}

constexpr size_t kVectors = 100, kDim = 32;

// Sets of vectors of two classes, for all jobs but extraction.
struct Sets {
  std::vector<std::vector<float>> values;
  std::vector<SetView> views;
  std::vector<std::string> labels;

  explicit Sets(size_t count) : values(count) {
    std::mt19937 random(1);
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < kVectors * kDim; ++k)
        values[i].push_back(static_cast<float>(random() % 1000) / 1000 +
                            static_cast<float>(i % 2) * 0.2f * static_cast<float>(k % kDim == 0));
      views.push_back({.vectors = values[i].data(), .rows = kVectors, .dim = kDim});
      labels.push_back(i % 2 == 0 ? "even" : "odd");
    }
  }
};

template <class Options = RunOptions>
Options on_one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

void encode(const std::string& recipe) {
  const Sets sets(20);
  const Encoder encoder =
      fit_encoder(recipe, std::span(sets.views).first(6), std::span(sets.labels).first(6),
                  on_one_thread<RepresentOptions>());
  encoder.encode(sets.views, on_one_thread());  // tables that are made once
  counted([&] { encoder.encode(sets.views, on_one_thread()); });
}

void compare_sets(const std::string& recipe) {
  const Sets sets(5);
  const Kernel kernel = fit_kernel(recipe, sets.views, on_one_thread<RepresentOptions>());
  kernel.gram(sets.views, on_one_thread());
  counted([&] { kernel.gram(sets.views, on_one_thread()); });
}

void train_on(const std::string& recipe) {
  const Sets sets(20);
  TrainOptions options = on_one_thread<TrainOptions>();
  options.recipe = recipe;
  train(sets.views, sets.labels, options);
  counted([&] { train(sets.views, sets.labels, options); });
}

void extract(const std::string& recipe) {
  constexpr int kSide = 120;
  std::vector<uint8_t> pixels(3 * kSide * kSide);
  std::mt19937 random(1);
  for (uint8_t& value : pixels) value = static_cast<uint8_t>(random());
  const std::vector<PixelView> picture{{.data = pixels.data(), .width = kSide, .height = kSide}};
  extract_features(recipe, picture, on_one_thread<RepresentOptions>());
  counted([&] { extract_features(recipe, picture, on_one_thread<RepresentOptions>()); });
}

const std::map<std::string, std::function<void()>> kJobs{
    {"bow", [] { encode("bow:words=50"); }},
    {"dsift", [] { extract("dsift:size=16,24/root"); }},
    {"emk-cksvd", [] { encode("emk-cksvd:dim=100,iterations=2"); }},
    {"emk-fourier", [] { encode("emk-fourier:dim=500,gamma=1"); }},
    {"fisher", [] { encode("fisher:components=16"); }},
    {"gmm-bow", [] { encode("gmm-bow:components=16"); }},
    {"kernel-svm", [] { train_on("bow:words=10/rbf/kernel-svm:folds=3"); }},
    {"lbp", [] { extract("lbp:size=24"); }},
    {"linear-svm", [] { train_on("bow:words=10/linear-svm:folds=3"); }},
    {"matching", [] { compare_sets("matching"); }},
    {"mixture", [] { train_on("fisher:components=8/linear-svm:C=1"); }},
    {"pmk", [] { compare_sets("pmk:pyramids=2,scale=16"); }},
    {"sum-match", [] { compare_sets("sum-match:gamma=1"); }},
    {"vg-pmk", [] { compare_sets("vg-pmk"); }},
};

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  if (argc != 2) {
    for (const auto& [name, job] : muster::kJobs) std::printf("%s\n", name.c_str());
    return 0;
  }
  muster::kJobs.at(argv[1])();
}
