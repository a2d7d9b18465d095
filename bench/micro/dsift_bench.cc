// Dense SIFT on one picture of 300 x 250 pixels, by options.
#include <benchmark/benchmark.h>

#include <cmath>

#include "muster/features/dsift.h"

namespace muster {
namespace {

Image waves(int width, int height) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    const double x = i % width, y = i / width;
    const double value = 128 + 60 * std::sin(0.3 * x + 0.01 * x * y) + 50 * std::cos(0.2 * y);
    image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(value));
  }
  return image;
}

void run(benchmark::State& state, const DsiftOptions& options) {
  const Image image = waves(300, 250);
  const auto dsift = make_dsift(options);
  size_t patches = 0;
  for (auto _ : state) {
    const VectorSet set = dsift->extract(image);
    benchmark::DoNotOptimize(set.vectors.data());
    patches += set.size();
  }
  state.counters["patches/s"] =
      benchmark::Counter(static_cast<double>(patches), benchmark::Counter::kIsRate);
}

void BM_Grey(benchmark::State& state) {
  const Image image = waves(300, 250);
  for (auto _ : state) benchmark::DoNotOptimize(grey(image).data());
}

BENCHMARK(BM_Grey);
BENCHMARK_CAPTURE(run, size_16, DsiftOptions{});
BENCHMARK_CAPTURE(run, size_16_flat, DsiftOptions{.window = SiftWindow::kFlat});
BENCHMARK_CAPTURE(run, size_16_step_4, DsiftOptions{.step = 4});
BENCHMARK_CAPTURE(run, four_sizes, DsiftOptions{.size = {16, 24, 32, 40}});

}  // namespace
}  // namespace muster
