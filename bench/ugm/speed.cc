// What UGM's machinery costs at 128 Gaussians: encoding by fisher, adapting one set, pairs of sets
// one-to-one and one-to-many, whole Gram matrices on one and two threads.
//   ugm_speed [OUT.json] [ROUNDS]
#include "muster/density/klk.h"
#include "muster/density/ppk.h"
#include "muster/setfeature/fisher.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr int kComponents = 128;
constexpr size_t kDim = 50, kVectors = 1000;              // an adapted set
constexpr size_t kFisherDim = 66, kFisherVectors = 6300;  // a picture of the preset fisher
constexpr size_t kPairSets = 8, kGramSets = 750;

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

// All pairs between two lists of kPairSets, one-to-one `kRepeats` times as it is too quick to be
// timed once.
constexpr int kRepeats = 100;

Contender pairs(const char* name, std::shared_ptr<const SetKernel> kernel, int repeats) {
  const auto sets = std::make_shared<Represented>(represent(*kernel, 2 * kPairSets));
  return {name,
          [kernel, sets, repeats] {
            Matrix<double> out(kPairSets, kPairSets);
            const RepresentedSpan all(*sets);
            for (int i = 0; i < repeats; ++i)
              kernel->gram(all.first(kPairSets), all.last(kPairSets), out, {});
          },
          Role::kOurs};
}

// `make` gives the kernel of a mapping.
template <class Make>
void time_kernel(Record& record, const std::string& name, const Make& make, int rounds) {
  const Contender quick = pairs("one-to-one", make(Mapping::kOneToOne), kRepeats);
  const Contender slow = pairs("one-to-many", make(Mapping::kOneToMany), 1);
  const double all_pairs = kPairSets * kPairSets;
  record.race(
      {name + " pair", "mixtures of 128 Gaussians in 50 dimensions", "pair", kRepeats * all_pairs},
      {quick}, rounds);
  record.race({name + " pair, one-to-many", "mixtures of 128 Gaussians in 50 dimensions", "pair",
               all_pairs},
              {slow}, rounds);

  const auto kernel = make(Mapping::kOneToOne);
  const Represented sets = represent(*kernel, kGramSets);
  Matrix<double> gram(kGramSets, kGramSets);
  const auto whole = [&] { kernel->gram(sets, sets, gram, {}); };
  record.race({name + " Gram", "750 sets, one-to-one, every pair once", "pair",
               kGramSets * (kGramSets + 1) / 2},
              {{"muster " + name, whole, Role::kOurs}}, 3);
  record.compare_threads(
      whole, [&] { return bytes_of(gram.values()); }, 3);
}

void time_sets(Record& record, const Universal& universal, int rounds) {
  FisherOptions options;
  options.universal = universal_options();
  const SetFeature fisher = fit_fisher(options, {vectors(30000, kFisherDim, 2), {}, 0}, Rng(1), {});
  const VectorSet picture{vectors(kFisherVectors, kFisherDim, 3), {}};
  std::vector<float> out(fisher.dim());
  record.race({"fisher", "6,300 vectors of 66 dimensions, 128 Gaussians", "set"},
              {{"muster fisher", [&] { fisher.encode(picture, out); }, Role::kOurs}}, rounds);
  const Matrix<float> set = vectors(kVectors, kDim, 4);
  const auto adapting = [&](Adapt what) {
    return [&, what] { adapt({10, 1, what}, universal, set); };
  };
  record.race({"adapting a mixture", "1,000 vectors of 50 dimensions, 128 Gaussians", "set"},
              {{"muster adapt, means", adapting(Adapt::kMeans), Role::kOurs},
               {"muster adapt, all", adapting(Adapt::kAll)}},
              rounds);
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const int rounds = args.rounds_or(9);
  const Universal universal = fit_universal(universal_options(), CovarianceKind::kDiagonal,
                                            vectors(30000, kDim, 1), Rng(1), {});
  time_sets(record, universal, 5 * rounds);
  time_kernel(
      record, "ppk", [&](Mapping m) { return make_ppk(with_mapping<PpkOptions>(m), universal); },
      rounds);
  time_kernel(
      record, "klk", [&](Mapping m) { return make_klk(with_mapping<KlkOptions>(m), universal); },
      rounds);
}

}  // namespace muster::bench
