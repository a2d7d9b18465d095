// EMK figure 3: time to classify one picture, from its descriptors to scores, against the number of
// training pictures, on one thread. The classifier is linear in the set's vector for emk-*, and
// compares with every training picture for bow-rbf.
//   test_time OUT.json [DATA]
#include <cstdio>
#include <map>

#include "muster/core/parallel.h"
#include "muster/dataset/dataset.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kTested = 100;
constexpr int kRounds = 7;

struct Method {
  const char* name;
  const char* recipe;
};
// C and width are given: choosing them changes no cost of testing.
constexpr Method kMethods[] = {
    {"emk-fourier", "dsift/root/emk-fourier:dim=1000,gamma=5/linear-svm:C=10,calibrate=false"},
    {"emk-cksvd", "dsift/root/emk-cksvd:dim=1000,gamma=5/linear-svm:C=10,calibrate=false"},
    {"bow-rbf", "dsift/bow:words=1000/rbf:gamma=30/kernel-svm:C=10,calibrate=false"}};

// The first `per_class` items of every class, after `skip`.
std::vector<size_t> items_of(const Dataset& data, size_t skip, size_t per_class) {
  std::map<int, size_t> seen;
  std::vector<size_t> items;
  for (size_t i = 0; i < data.items.size(); ++i) {
    const size_t number = seen[data.labels.first(i)]++;
    if (number >= skip && number < skip + per_class) items.push_back(i);
  }
  return items;
}

Labels labels_of(const Dataset& data, const std::vector<size_t>& items) {
  Labels out;
  out.class_names = data.labels.class_names;
  for (const size_t i : items) out.of_item.push_back(data.labels.of_item[i]);
  return out;
}

int run(const char* out_path, const char* data_path) {
  const Dataset data = open_dataset(data_path);
  const CachedSource source(data);
  nlohmann::ordered_json out{{"cpu", cpu_model()},
                             {"unit", "ms per picture, one thread, CPU time"},
                             {"rows", nlohmann::ordered_json::array()}};
  std::printf("%-12s %6s %10s %22s\n", "method", "n", "median ms", "quartiles");
  for (const Method& method : kMethods) {
    const Plan plan = plan_recipe(parse_recipe(method.recipe));
    std::vector<size_t> tested = items_of(data, 160, 7);
    tested.resize(std::min(tested.size(), kTested));
    source.prepare(plan.branches[0].extraction.get(), tested, {});  // in memory from now on
    for (const size_t per_class : {20u, 40u, 80u, 160u}) {
      const std::vector<size_t> train = items_of(data, 0, per_class);
      const Pipeline model = fit_pipeline(plan, source, train, labels_of(data, train), 1, {});
      const ThreadLimit one_thread(1);
      const Contender contender{method.name, [&] {
                                  for (const size_t item : tested)
                                    (void)model.score(source, {&item, 1}, {});
                                }};
      const Timing timing = alternate({contender}, kRounds)[0];
      const auto ms = [&](double q) {
        return 1e3 * timing.quantile(q) / static_cast<double>(tested.size());
      };
      std::printf("%-12s %6zu %10.3f %10.3f to %.3f\n", method.name, train.size(), ms(0.5),
                  ms(0.25), ms(0.75));
      out["rows"].push_back({{"method", method.name},
                             {"recipe", method.recipe},
                             {"n", train.size()},
                             {"median_ms", ms(0.5)},
                             {"quartiles_ms", {ms(0.25), ms(0.75)}}});
    }
  }
  write_json(out_path, out);
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: test_time OUT.json [DATA]\n");
    return 2;
  }
  return muster::bench::run(argv[1], argc > 2 ? argv[2] : MUSTER_DEFAULT_DATA "/scene-15");
}
