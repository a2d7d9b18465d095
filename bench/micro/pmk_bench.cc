// The pyramid match on one thread: time a pair in the Gram of many sets and time a pyramid, for
// sets of 1,140 clustered points in 12 dimensions with values in [0, 512) (9 levels and one for the
// shift), and how both grow with the number of points.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "muster/core/parallel.h"
#include "muster/setkernel/pmk.h"

namespace muster {
namespace {

constexpr size_t kDim = 12;
constexpr size_t kClusters = 100;
constexpr double kRange = 512;

// Points around 20 of 100 common centres, as local features of pictures lie around common patterns.
std::vector<VectorSet> clustered_sets(size_t count, size_t points) {
  Rng rng(1);
  Matrix<double> centres(kClusters, kDim);
  for (double& value : centres.values()) value = rng.uniform(0, kRange);
  std::vector<VectorSet> out;
  for (size_t s = 0; s < count; ++s) {
    Rng stream = rng.derive(s);
    const std::vector<size_t> own = stream.sample(kClusters, 20);
    VectorSet set{Matrix<float>(points, kDim), {}, 0, 0};
    for (size_t i = 0; i < points; ++i) {
      const auto centre = centres.row(own[stream.below(own.size())]);
      for (size_t t = 0; t < kDim; ++t)
        set.vectors(i, t) = static_cast<float>(
            std::floor(std::clamp(centre[t] + 20 * stream.normal(), 0.0, kRange - 1)));
    }
    out.push_back(std::move(set));
  }
  return out;
}

std::shared_ptr<const SetKernel> fitted(const std::vector<VectorSet>& sets) {
  PmkOptions options;
  options.scale = 1;
  return fit_pmk(options, {sets[0].vectors, {}, 0}, Rng(1), {});
}

void BM_Gram(benchmark::State& state) {
  const ThreadLimit limit(1);
  const auto n = static_cast<size_t>(state.range(0));
  const std::vector<VectorSet> sets = clustered_sets(n, static_cast<size_t>(state.range(1)));
  const auto kernel = fitted(sets);
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel->represent(set));
  Matrix<double> gram(n, n);
  for (auto _ : state) kernel->gram(represented, represented, gram, {});
  const double pairs =
      static_cast<double>(n * (n + 1) / 2) * static_cast<double>(state.iterations());
  state.counters["s/pair"] =
      benchmark::Counter(pairs, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_Pyramid(benchmark::State& state) {
  const std::vector<VectorSet> sets = clustered_sets(4, static_cast<size_t>(state.range(0)));
  const auto kernel = fitted(sets);
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(kernel->represent(sets[next++ % sets.size()]));
}

BENCHMARK(BM_Gram)
    ->ArgNames({"sets", "points"})
    ->Args({500, 1140})
    ->Args({60, 1140})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Gram)
    ->ArgNames({"sets", "points"})
    ->ArgsProduct({{60}, {100, 300, 1000, 3000, 10000}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Pyramid)->ArgName("points")->Arg(1140)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Pyramid)
    ->ArgName("points")
    ->Arg(100)
    ->Arg(300)
    ->Arg(1000)
    ->Arg(3000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster
