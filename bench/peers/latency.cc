// How long a user waits: loading a model, and classifying one picture from its file once the model
// is there, on one thread. Models of 100 pictures per class of Scene-15; C is given, which changes
// neither.
//   latency [OUT.json] [ROUNDS]
#include <unistd.h>

#include <filesystem>
#include <map>

#include "muster/dataset/dataset.h"
#include "muster/muster.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

struct Method {
  const char* name;
  const char* recipe;  // of the preset
};
constexpr Method kMethods[] = {
    {"emk-fourier",
     "dsift:size=16,32/root/emk-fourier:dim=1000,gamma=5/linear-svm:C=10,calibrate=false"},
    {"spm", "dsift:size=16,32/spm/kernel-svm:C=10,calibrate=false"},
    {"fisher",
     "dsift:step=6,size=16,24,32,40/root/pca:dim=64/places:scale=true/fisher:components=128/"
     "linear-svm:C=10,calibrate=false"}};

constexpr size_t kTrainPerClass = 100, kTested = 20;

struct Split {
  std::vector<size_t> train, test;
};

// The first pictures of every class to train on; of the others some to test.
Split divide(const Dataset& data) {
  Split out;
  std::map<int, size_t> seen;
  for (size_t i = 0; i < data.items.size(); ++i) {
    const size_t number = seen[data.labels.first(i)]++;
    if (number < kTrainPerClass)
      out.train.push_back(i);
    else if (number < kTrainPerClass + 2 && out.test.size() < kTested)
      out.test.push_back(i);
  }
  return out;
}

void time_method(Record& record, const Method& method, const Dataset& data, const Split& split,
                 const fs::path& file, int rounds) {
  const CachedSource source(data);
  fit_pipeline(plan_recipe(parse_recipe(method.recipe)), source, split.train,
               data.labels.select(split.train), 1, {})
      .save(file);
  std::optional<Model> model;
  const std::string trained = "model of 1,500 pictures, " +
                              std::to_string(fs::file_size(file) / 1000) + " kB, in the file cache";
  record.race({std::string("load, ") + method.name, trained, "model"},
              {{"muster", [&] { model.emplace(load(file)); }, Role::kOurs}}, rounds);
  record.race({std::string("predict, ") + method.name, "from a JPEG file to probabilities",
               "picture", static_cast<double>(split.test.size())},
              {{"muster",
                [&] {
                  for (const size_t item : split.test) (void)model->predict(data.items[item].path);
                },
                Role::kOurs}},
              rounds);
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const int rounds = args.rounds_or(5);
  const char* folder = std::getenv("MUSTER_DATA");
  const Dataset data = open_dataset(fs::path(folder ? folder : MUSTER_DEFAULT_DATA) / "scene-15");
  const Split split = divide(data);
  const fs::path file =
      fs::temp_directory_path() / ("muster-latency-" + std::to_string(getpid()) + ".muster");
  for (const Method& method : kMethods) time_method(record, method, data, split, file, rounds);
  fs::remove(file);
}

}  // namespace muster::bench
