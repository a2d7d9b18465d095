// What UGM's machinery costs at 128 Gaussians: encoding by fisher, adapting one set, pairs of sets
// one-to-one and one-to-many, whole Gram matrices on two threads.
//   ugm_speed [OUT.json] [ROUNDS]
#include <chrono>

#include "muster/core/parallel.h"
#include "muster/setfeature/fisher.h"
#include "muster/setkernel/klk.h"
#include "muster/setkernel/ppk.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr int kComponents = 128;
constexpr size_t kDim = 50, kVectors = 1000;              // an adapted set
constexpr size_t kFisherDim = 66, kFisherVectors = 6300;  // a picture of the preset fisher
constexpr size_t kPairSets = 8, kGramSets = 1500;

// Clusters, so that vectors have several responsible Gaussians, as SIFT's do.
Matrix<float> vectors(size_t rows, size_t cols, uint64_t seed) {
  Matrix<float> out(rows, cols);
  Rng rng(seed);
  for (size_t i = 0; i < rows; ++i) {
    Rng centre = Rng(7).derive(rng.below(200));
    for (float& value : out.row(i))
      value = static_cast<float>(centre.normal() + 0.7 * rng.normal());
  }
  return out;
}

UniversalOptions universal_options() {
  UniversalOptions options;
  options.components = kComponents;
  options.em_iterations = 3;
  return options;
}

template <class Options>
Options with_mapping(Mapping mapping) {
  Options options;
  options.sets.universal = universal_options();
  options.sets.adapt.adapt = Adapt::kAll;  // no shortcut through common covariances
  options.sets.mapping = mapping;
  if constexpr (std::is_same_v<Options, KlkOptions>) options.gamma = 1e-3;
  return options;
}

Represented represent(const SetKernel& kernel, size_t count) {
  Represented out(count);
  parallel_for(count, 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      out[i] = kernel.represent({vectors(300, kDim, 100 + i), {}});
  });
  return out;
}

// All pairs between two lists of kPairSets, `repeats` times.
Contender pairs(const char* name, std::shared_ptr<const SetKernel> kernel, int repeats) {
  const auto sets = std::make_shared<Represented>(represent(*kernel, 2 * kPairSets));
  return {name, [kernel, sets, repeats] {
            Matrix<double> out(kPairSets, kPairSets);
            const RepresentedSpan all(*sets);
            for (int i = 0; i < repeats; ++i)
              kernel->gram(all.first(kPairSets), all.last(kPairSets), out, {});
          }};
}

nlohmann::json whole_gram(const char* name, const SetKernel& kernel) {
  const ThreadLimit two_threads(2);
  const Represented sets = represent(kernel, kGramSets);
  Matrix<double> out(kGramSets, kGramSets);
  const double wall = clock_seconds(CLOCK_MONOTONIC), cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  kernel.gram(sets, sets, out, {});
  const double wall_s = clock_seconds(CLOCK_MONOTONIC) - wall,
               cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  std::printf(
      "%s Gram of %zu x %zu sets, two threads: %.2f s (%.2f s of CPU, half of it is %.2f s)\n",
      name, kGramSets, kGramSets, wall_s, cpu_s, cpu_s / 2);
  return {
      {"name", name}, {"sets", kGramSets}, {"threads", 2}, {"wall_s", wall_s}, {"cpu_s", cpu_s}};
}

int run(int argc, char** argv) {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  nlohmann::json record{{"benchmark", "ugm"}, {"machine", machine_facts()}};
  const Universal universal = fit_universal(universal_options(), CovarianceKind::kDiagonal,
                                            vectors(30000, kDim, 1), Rng(1), {});
  const auto report = [&](const char* key, const std::vector<Timing>& timings, double units,
                          const char* unit) {
    print_table(timings, units, unit);
    record[key] = to_json(timings);
  };
  {
    const ThreadLimit one_thread(1);
    FisherOptions options;
    options.universal = universal_options();
    const SetFeature fisher =
        fit_fisher(options, {vectors(30000, kFisherDim, 2), {}, 0}, Rng(1), {});
    const VectorSet picture{vectors(kFisherVectors, kFisherDim, 3), {}};
    std::vector<float> out(fisher.dim());
    report(
        "fisher",
        alternate({{"fisher, 6300 x 66, 128", [&] { fisher.encode(picture, out); }}}, 5 * rounds),
        1, "set");

    const Matrix<float> set = vectors(kVectors, kDim, 4);
    const auto adapting = [&](Adapt what) {
      return [&, what] { adapt({10, 1, what}, universal, set); };
    };
    report("adapt",
           alternate({{"adapt means, 1000 x 50, 128", adapting(Adapt::kMeans)},
                      {"adapt all", adapting(Adapt::kAll)}},
                     5 * rounds),
           1, "set");

    const double all_pairs = kPairSets * kPairSets;
    const auto ppk = [&](Mapping m) { return make_ppk(with_mapping<PpkOptions>(m), universal); };
    const auto klk = [&](Mapping m) { return make_klk(with_mapping<KlkOptions>(m), universal); };
    constexpr int kRepeats = 100;  // one-to-one is too quick to be timed once
    const auto one = [&](const char* key, std::shared_ptr<const SetKernel> quick,
                         std::shared_ptr<const SetKernel> slow) {
      std::vector<Timing> timings = alternate({pairs("one-to-one", std::move(quick), kRepeats),
                                               pairs("one-to-many", std::move(slow), 1)},
                                              rounds);
      for (double& seconds : timings[0].cpu_s) seconds /= kRepeats;
      for (double& seconds : timings[0].wall_s) seconds /= kRepeats;
      std::printf("%s\n", key);
      report(key, timings, all_pairs, "pair");
    };
    one("ppk", ppk(Mapping::kOneToOne), ppk(Mapping::kOneToMany));
    one("klk", klk(Mapping::kOneToOne), klk(Mapping::kOneToMany));
  }
  record["gram"] = {
      whole_gram("klk", *make_klk(with_mapping<KlkOptions>(Mapping::kOneToOne), universal)),
      whole_gram("ppk", *make_ppk(with_mapping<PpkOptions>(Mapping::kOneToOne), universal))};
  if (argc > 1) write_json(argv[1], record);
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run(argc, argv); }
