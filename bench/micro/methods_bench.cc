// Set features and set kernels with their defaults on one thread (the pyramid match is in
// pmk_bench): time to encode a set, time to represent one, and time per pair in the Gram of ten
// sets, against the number of vectors of 64 dimensions in a set.
#include <benchmark/benchmark.h>

#include <cmath>
#include <optional>

#include "muster/core/parallel.h"
#include "muster/density/klk.h"
#include "muster/density/pdf_kl.h"
#include "muster/density/pdf_product.h"
#include "muster/density/ppk.h"
#include "muster/matching/exponent.h"
#include "muster/matching/greedy.h"
#include "muster/matching/match.h"
#include "muster/matching/matching.h"
#include "muster/matching/principal_angles.h"
#include "muster/matching/sum_match.h"
#include "muster/setfeature/bow.h"
#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"
#include "muster/setfeature/emk_kpca.h"
#include "muster/setfeature/fisher.h"
#include "muster/setfeature/gmm_bow.h"
#include "muster/setfeature/kernel_codebook.h"
#include "muster/setfeature/supervector.h"
#include "muster/setfeature/vlad.h"

namespace muster::bench {
namespace {

constexpr size_t kDim = 64, kSampleSize = 20000, kSets = 10;

Matrix<float> unit_vectors(size_t count, uint64_t seed) {
  Matrix<float> out(count, kDim);
  Rng rng(seed);
  for (size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (float& value : out.row(i)) {
      value = static_cast<float>(std::abs(rng.normal()));
      squares += static_cast<double>(value) * value;
    }
    for (float& value : out.row(i)) value /= static_cast<float>(std::sqrt(squares));
  }
  return out;
}

const Sample& sample() {
  static const Sample one{unit_vectors(kSampleSize, 1), {}, 0};
  return one;
}

template <class Options>
void add_feature(const std::string& name,
                 SetFeature (*fit)(const Options&, const Sample&, Rng, const Progress&)) {
  const auto fitted = std::make_shared<std::optional<SetFeature>>();  // once for all sizes
  benchmark::RegisterBenchmark(
      (name + "/encode").c_str(),
      [fit, fitted](benchmark::State& state) {
        if (!*fitted) fitted->emplace(fit({}, sample(), Rng(1), {}));
        const ThreadLimit limit(1);
        const SetFeature& feature = **fitted;
        const VectorSet set{unit_vectors(static_cast<size_t>(state.range(0)), 2), {}};
        std::vector<float> out(feature.dim());
        for (auto _ : state) feature.encode(set, out);
      })
      ->ArgName("vectors")
      ->Arg(100)
      ->Arg(1000)
      ->Arg(4000)
      ->Unit(benchmark::kMillisecond);
}

template <class Options>
void add_kernel(const std::string& name,
                std::shared_ptr<const SetKernel> (*fit)(const Options&, const Sample&, Rng,
                                                        const Progress&)) {
  const auto fitted = std::make_shared<std::shared_ptr<const SetKernel>>();  // once for all sizes
  const auto kernel_of = [fit, fitted] {
    if (!*fitted) *fitted = fit({}, sample(), Rng(1), {});
    return *fitted;
  };
  const auto sets_of = [](const benchmark::State& state) {
    std::vector<VectorSet> sets;
    for (size_t s = 0; s < kSets; ++s)
      sets.push_back({unit_vectors(static_cast<size_t>(state.range(0)), 3 + s), {}});
    return sets;
  };
  benchmark::RegisterBenchmark((name + "/represent").c_str(),
                               [kernel_of, sets_of](benchmark::State& state) {
                                 const auto kernel = kernel_of();
                                 const ThreadLimit limit(1);
                                 const std::vector<VectorSet> sets = sets_of(state);
                                 for (auto _ : state)
                                   benchmark::DoNotOptimize(kernel->represent(sets[0]));
                               })
      ->ArgName("vectors")
      ->Arg(100)
      ->Arg(400)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(
      (name + "/pair").c_str(),
      [kernel_of, sets_of](benchmark::State& state) {
        const auto kernel = kernel_of();
        const ThreadLimit limit(1);
        Represented represented;
        for (const VectorSet& set : sets_of(state)) represented.push_back(kernel->represent(set));
        const auto chosen =
            kernel->candidates(represented).front();  // of the widths that auto offers
        Matrix<double> gram(kSets, kSets);
        for (auto _ : state) chosen->gram(represented, represented, gram, {});
        const double pairs =
            static_cast<double>(kSets * (kSets + 1) / 2 * static_cast<size_t>(state.iterations()));
        state.counters["s/pair"] =
            benchmark::Counter(pairs, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
      })
      ->ArgName("vectors")
      ->Arg(100)
      ->Arg(400)
      ->Unit(benchmark::kMillisecond);
}

void add_all() {
  add_feature("bow", fit_bow);
  add_feature("kernel-codebook", fit_kernel_codebook);
  add_feature("emk-fourier", fit_emk_fourier);
  add_feature("emk-cksvd", fit_emk_cksvd);
  add_feature("emk-kpca", fit_emk_kpca);
  add_feature("gmm-bow", fit_gmm_bow);
  add_feature("fisher", fit_fisher);
  add_feature("supervector", fit_supervector);
  add_feature("vlad", fit_vlad);
  add_kernel("sum-match", fit_sum_match);
  add_kernel("match", fit_match);
  add_kernel("exponent", fit_exponent);
  add_kernel("greedy", fit_greedy);
  add_kernel("matching", fit_matching);
  add_kernel("principal-angles", fit_principal_angles);
  add_kernel("pdf-kl", fit_pdf_kl);
  add_kernel("pdf-bhattacharyya", fit_pdf_bhattacharyya);
  add_kernel("pdf-mixture", fit_pdf_mixture);
  add_kernel("ppk", fit_ppk);
  add_kernel("klk", fit_klk);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  muster::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
