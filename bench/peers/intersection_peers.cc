// Gram of histogram intersections of 1,500 histograms of 4,200 bins (21 cells of 200 words), one
// thread, beside the plain double loop that a C++ programmer writes first, compiled with -O3
// -march=native (intersection_plain.cc); on dense histograms, and on pyramids of 1,000 words of
// pictures, where spm meets mostly zeros.
//   intersection_peers [OUT.json] [ROUNDS]
#include "muster/core/parallel.h"
#include "muster/core/rng.h"
#include "muster/math/pairwise.h"
#include "muster/setkernel/feature_kernel.h"
#include "muster/setkernel/spm.h"
#include "peers/intersection_plain.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kItems = 1500, kCells = 21, kWords = 200, kBins = kCells * kWords;

Matrix<float> dense_histograms() {
  Matrix<float> out(kItems, kBins);
  Rng rng(1);
  for (float& value : out.values()) value = static_cast<float>(rng.uniform());
  return out;
}

// The upper triangle by tiles, as Grams are made.
void tiled(const Matrix<float>& histograms, Matrix<float>& gram) {
  constexpr size_t kTile = 128;
  for (size_t i = 0; i < kItems; i += kTile)
    for (size_t j = i; j < kItems; j += kTile) {
      const size_t rows = std::min(kTile, kItems - i), cols = std::min(kTile, kItems - j);
      pairwise_intersection(histograms.view().slice_rows(i, rows),
                            histograms.view().slice_rows(j, cols),
                            MatrixView<float>(&gram(i, j), rows, cols, kItems));
    }
}

// 1,000 vectors a picture, each near one of the words by chance, words uneven.
struct Pyramids {
  std::shared_ptr<const SetKernel> kernel;
  Represented sets;
  Matrix<float> dense{kItems, kBins};

  Pyramids() {
    constexpr size_t kVectors = 1000, kDim = 8;
    SpmOptions options;
    options.vocabulary.iterations = 1;
    Rng rng(2);
    Sample sample{Matrix<float>(20 * kWords, kDim), {}, 0};
    for (float& value : sample.vectors.values()) value = static_cast<float>(rng.normal());
    kernel = fit_spm(options, sample, Rng(3), {});
    for (size_t i = 0; i < kItems; ++i) {
      VectorSet set{Matrix<float>(kVectors, kDim), Matrix<float>(kVectors, 3), 100, 100};
      for (float& value : set.vectors.values()) value = static_cast<float>(rng.normal());
      for (float& value : set.places.values()) value = static_cast<float>(rng.uniform());
      sets.push_back(kernel->represent(set));
    }
    TensorMap map;
    kernel->save_represented(sets, TensorWriter(map));
    const TensorReader in(map);
    const auto starts = in.values<uint32_t>("starts"), words = in.values<uint32_t>("words");
    const auto values = in.values<float>("values");
    size_t next = 0;
    for (size_t i = 0; i < kItems; ++i)
      for (size_t cell = 0; cell < kCells; ++cell)
        for (size_t k = starts[i * (kCells + 1) + cell]; k < starts[i * (kCells + 1) + cell + 1];
             ++k, ++next)
          dense(i, cell * kWords + words[next]) = values[next];
  }
};

int run(int argc, char** argv) {
  const ThreadLimit one_thread(1);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const Matrix<float> histograms = dense_histograms();
  const Pyramids pyramids;
  Matrix<float> gram(kItems, kItems);
  Matrix<double> exact(kItems, kItems);
  size_t occupied = 0;
  for (float value : pyramids.dense.values()) occupied += value > 0;
  const auto plain = [&](const Matrix<float>& of) {
    plain_intersection_gram(of.data(), kItems, kBins, gram.data());
  };
  const auto timings = alternate(
      {{"dense: muster", [&] { tiled(histograms, gram); }},
       {"dense: plain loop", [&] { plain(histograms); }},
       {"pyramids: spm", [&] { pyramids.kernel->gram(pyramids.sets, pyramids.sets, exact, {}); }},
       {"pyramids: muster, dense", [&] { tiled(pyramids.dense, gram); }},
       {"pyramids: plain loop", [&] { plain(pyramids.dense); }}},
      rounds);
  std::printf(
      "intersections of %zu x %zu histograms of %zu bins, one thread, %d rounds; %.0f %% of the "
      "pyramids' bins occupied\n",
      kItems, kItems, kBins, rounds,
      100.0 * static_cast<double>(occupied) / static_cast<double>(kItems * kBins));
  print_table(timings, 1, "Gram");
  if (argc > 1)
    write_json(argv[1], {{"benchmark", "intersection"},
                         {"machine", machine_facts()},
                         {"results", to_json(timings)}});
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run(argc, argv); }
