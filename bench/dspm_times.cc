// How long weight learning takes (DSPM 3.2): A and b of 21 kernels of 1,500 items on two threads,
// the quadratic programme once they are there, and the semidefinite programme beside it for 200
// items.
//   dspm_times
#include <cstdio>

#include "muster/core/parallel.h"
#include "muster/core/rng.h"
#include "muster/kernelweights/kernel_moments.h"
#include "muster/kernelweights/simplex_qp.h"
#include "muster/kernelweights/weight_rules.h"
#include "muster/pyramid/spm.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kVectors = 1000, kDim = 8;

// Pictures of ten classes; a class shifts the vectors of some cells.
struct Pictures {
  std::shared_ptr<const SetKernel> kernel;
  Represented sets;
  Labels labels;

  explicit Pictures(size_t n) {
    Rng rng(2);
    Sample sample{Matrix<float>(4000, kDim), {}, 0};
    for (float& value : sample.vectors.values()) value = static_cast<float>(rng.normal());
    kernel = fit_spm({}, sample, Rng(3), {});
    labels.class_names.resize(10, "");
    for (size_t i = 0; i < n; ++i) {
      VectorSet set{Matrix<float>(kVectors, kDim), Matrix<float>(kVectors, 3), 100, 100};
      for (float& value : set.places.values()) value = static_cast<float>(rng.uniform());
      for (size_t v = 0; v < kVectors; ++v)
        for (size_t d = 0; d < kDim; ++d)
          set.vectors(v, d) =
              static_cast<float>(rng.normal() + (d == i % 10 && set.places(v, 1) > 0.5f ? 0.5 : 0));
      labels.of_item.push_back({static_cast<int>(i % 10)});
      sets.push_back(kernel->represent(set));
    }
  }

  KernelTiles tiles() const {
    return {sets.size(), kernel->num_parts(), [this](const Tile& tile, MatrixView<double> out) {
              const RepresentedSpan all(sets);
              kernel->part_grams(all.subspan(tile.row, tile.num_rows),
                                 all.subspan(tile.col, tile.num_cols), out);
            }};
  }
};

template <class Work>
double seconds(const Work& work) {
  const double start = clock_seconds(CLOCK_MONOTONIC);
  work();
  return clock_seconds(CLOCK_MONOTONIC) - start;
}

// As the rule qp makes it, with the paper's lambda of the first kernel.
Normalised with_ridge(const KernelMoments& moments) {
  Normalised out = normalised(moments);
  const double ridge = 0.1 * out.products(0, 0);
  for (size_t j = 0; j < out.products.rows(); ++j) out.products(j, j) += ridge;
  return out;
}

void report(size_t n, bool sdp) {
  const Pictures pictures(n);
  KernelMoments moments;
  const double pass = seconds([&] {
    moments =
        kernel_moments(pictures.tiles(), LabelSimilarity(pictures.labels, false, false), false, {});
  });
  const Normalised ready = with_ridge(moments);
  constexpr int kRepeats = 20;
  const double qp = seconds([&] {
                      for (int i = 0; i < kRepeats; ++i)
                        solve_simplex_qp(ready.products, ready.with_labels);
                    }) /
                    kRepeats;
  std::printf("%zu items, %zu kernels: A and b %.3f s (two threads), qp %.3f ms", n,
              moments.num_kernels(), pass, 1e3 * qp);
  if (sdp) {
    const double slow = seconds(
        [&] { sdp_weights(pictures.tiles(), ready.products, ready.with_labels, moments.largest); });
    std::printf(", sdp %.1f ms: %.0f x qp", 1e3 * slow, slow / qp);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace muster::bench

int main() {
  const muster::ThreadLimit two(2);
  muster::bench::report(1500, false);
  muster::bench::report(200, true);
}
