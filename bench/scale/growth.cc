// How time and peak memory grow, with fitted exponents (the slope of a line through the
// logarithms).
//   growth PIECE OUT.json [LARGEST]
//
//   pictures   extraction, encoding (emk-fourier) and training (linear-svm) against the number of
//              pictures, which are those of Scene-15 over and over; all cores
//
//   sets       encoding one set against its vectors (m), their dimension (d) and that of the code
//              (D)
//
//   pmk        a pyramid, and a pair of pyramids, against the points of a set
#include <malloc.h>

#include <filesystem>
#include <numeric>

#include "muster/classify/linear_svm.h"
#include "muster/core/memory.h"
#include "muster/dataset/dataset.h"
#include "muster/pipeline/fit.h"
#include "muster/setfeature/emk_fourier.h"
#include "muster/source/dataset_source.h"
#include "peers/side_by_side.h"
#include "pmk/clustered_sets.h"

namespace muster::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class Work>
double wall_seconds(const Work& work) {
  const double start = clock_seconds(CLOCK_MONOTONIC);
  work();
  return clock_seconds(CLOCK_MONOTONIC) - start;
}

// CPU seconds of one call, the median of several rounds.
double cpu_seconds(const std::function<void()>& work) {
  const ThreadLimit one_thread(1);
  return alternate({{"", work}}, 5)[0].median();
}

double exponent(const Json& rows, const char* of, const char* against) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(rows.size());
  for (const Json& row : rows) {
    const double x = std::log(row[against].get<double>()), y = std::log(row[of].get<double>());
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void report(const Json& row) {
  std::printf("%s\n", row.dump().c_str());
  std::fflush(stdout);  // a piece that is cut short has shown what it measured
}

Dataset repeated(const Dataset& data, size_t count) {
  Dataset out = data;
  out.items.clear();
  out.labels.of_item.clear();
  for (size_t i = 0; i < count; ++i) {
    // A step that shares no factor with their number: every class from the first thousand on.
    const size_t from = i * 1009 % data.items.size();
    out.items.push_back(data.items[from]);
    out.labels.of_item.push_back(data.labels.of_item[from]);
  }
  return out;
}

Json pictures(size_t largest) {
  const char* folder = std::getenv("MUSTER_DATA");
  const Dataset all =
      open_dataset(std::filesystem::path(folder ? folder : MUSTER_DEFAULT_DATA) / "scene-15");
  const Plan plan =
      plan_recipe(parse_recipe("dsift:size=16,32/root/emk-fourier:dim=1000,gamma=5/linear-svm"));
  LinearSvmOptions svm;
  svm.C = 10;
  svm.calibrate = false;
  Json rows = Json::array();
  for (const size_t n : {2000u, 5000u, 10000u, 20000u, 50000u}) {
    if (n > largest) break;
    const Dataset data = repeated(all, n);
    const DatasetSource source(data);  // no set is kept
    std::vector<size_t> items(n);
    std::iota(items.begin(), items.end(), size_t{0});
    const FittedBranch branch =
        fit_branch(plan.branches[0], source, std::span(items).first(1500), data.labels, Rng(1), {});
    Matrix<float> vectors;
    malloc_trim(0);  // what earlier sizes left behind is not this one's
    reset_peak_memory();
    const double encoding =
        wall_seconds([&] { vectors = encode_items(branch, source, items, {}); });
    const double peak = peak_memory_since_reset_mib();
    const double output = static_cast<double>(vectors.values().size() * sizeof(float)) / (1 << 20);
    reset_peak_memory();
    const double training =
        wall_seconds([&] { fit_linear_svm(svm, vectors, data.labels, Rng(1), {}); });
    rows.push_back({{"n", n},
                    {"extract_and_encode_s", encoding},
                    {"train_s", training},
                    {"all_s", encoding + training},
                    {"encode_peak_mib", peak},
                    {"encode_peak_without_output_mib", peak - output},
                    {"train_peak_mib", peak_memory_since_reset_mib()}});
    report(rows.back());
  }
  const Json exponents{{"extract_and_encode", exponent(rows, "extract_and_encode_s", "n")},
                       {"train", exponent(rows, "train_s", "n")},
                       {"all", exponent(rows, "all_s", "n")}};
  return {{"rows", rows}, {"exponents", exponents}};
}

double encoding_seconds(size_t m, size_t d, size_t dim) {
  VectorSet set{Matrix<float>(m, d), {}};
  Rng rng(1);
  for (float& value : set.vectors.values()) value = static_cast<float>(rng.uniform() / 6);
  EmkFourierOptions options;
  options.dim = static_cast<int>(dim);
  const SetFeature feature = fit_emk_fourier(options, {set.vectors, {}, 0}, Rng(1), {});
  std::vector<float> out(feature.dim());
  return cpu_seconds([&] { feature.encode(set, out); });
}

Json sets() {
  Json out;
  const auto sweep = [&](const char* name, const auto& seconds) {
    Json rows = Json::array();
    for (const size_t value : {125u, 250u, 500u, 1000u, 2000u, 4000u}) {
      rows.push_back({{name, value}, {"cpu_s", seconds(value)}});
      report(rows.back());
    }
    out[name] = {{"rows", rows}, {"exponent", exponent(rows, "cpu_s", name)}};
  };
  sweep("m", [](size_t m) { return encoding_seconds(m, 128, 1000); });
  sweep("d", [](size_t d) { return encoding_seconds(1000, d, 1000); });
  sweep("D", [](size_t dim) { return encoding_seconds(1000, 128, dim); });
  return out;
}

Json pmk() {
  Json rows = Json::array();
  for (const size_t m : {100u, 300u, 1000u, 3000u, 10000u}) {
    constexpr size_t kSets = 60;
    const std::vector<VectorSet> sets = clustered_sets(kSets, m);
    const auto kernel = pyramid_match(sets);
    Represented represented;
    for (const VectorSet& set : sets) represented.push_back(kernel->represent(set));
    Matrix<double> gram(kSets, kSets);
    rows.push_back({{"m", m},
                    {"pyramid_cpu_s", cpu_seconds([&] { kernel->represent(sets[0]); })},
                    {"pair_cpu_s", cpu_seconds([&] {
                                     kernel->gram(represented, represented, gram, {});
                                   }) / (kSets * (kSets + 1) / 2)}});
    report(rows.back());
  }
  return {{"rows", rows},
          {"exponents",
           {{"pyramid", exponent(rows, "pyramid_cpu_s", "m")},
            {"pair", exponent(rows, "pair_cpu_s", "m")}}}};
}

int run(const std::string& piece, const char* out, size_t largest) {
  Json record{{"piece", piece}, {"machine", machine_facts()}};
  if (piece == "pictures")
    record["growth"] = pictures(largest);
  else if (piece == "sets")
    record["growth"] = sets();
  else if (piece == "pmk")
    record["growth"] = pmk();
  else
    return 2;
  std::ofstream(out) << record.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const int code = argc < 3 ? 2
                            : muster::bench::run(argv[1], argv[2],
                                                 argc > 3 ? std::stoul(argv[3]) : size_t{20000});
  if (code == 2) std::fprintf(stderr, "usage: growth pictures|sets|pmk OUT.json [LARGEST]\n");
  return code;
}
