// The pyramid match on one thread: time per pair in the Gram of many sets and time per pyramid, for
// sets of 1,140 clustered points in 12 dimensions, and how both grow with the number of points.
#include <benchmark/benchmark.h>

#include "muster/core/parallel.h"
#include "pmk/clustered_sets.h"

namespace muster::bench {
namespace {

void BM_Gram(benchmark::State& state) {
  const ThreadLimit limit(1);
  const auto n = static_cast<size_t>(state.range(0));
  const std::vector<VectorSet> sets = clustered_sets(n, static_cast<size_t>(state.range(1)));
  const auto kernel = pyramid_match(sets);
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
  const auto kernel = pyramid_match(sets);
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
}  // namespace muster::bench
