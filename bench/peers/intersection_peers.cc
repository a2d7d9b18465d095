// Gram of histogram intersections of 1,500 histograms of 4,200 bins (21 cells of 200 words), beside
// the plain double loop that a C++ programmer writes first and one blocked by hand for this CPU
// (native_loops.h); on dense histograms, and on pyramids of pictures with 1,000 vectors, where spm
// meets mostly zeros.
//   intersection_peers [OUT.json] [ROUNDS]
#include <cmath>

#include "muster/core/rng.h"
#include "muster/math/pairwise.h"
#include "muster/pyramid/spm.h"
#include "muster/setkernel/gram.h"
#include "peers/native_loops.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kItems = 1500, kCells = 21, kWords = 200, kBins = kCells * kWords;
// The blocked loop wants whole vectors.
constexpr size_t kPadded = (kBins + 15) / 16 * 16;

Matrix<float> dense_histograms() {
  Matrix<float> out(kItems, kBins);
  Rng rng(1);
  for (float& value : out.values()) value = static_cast<float>(rng.uniform());
  return out;
}

// The upper triangle by tiles, as Grams are made.
void tiled(const Matrix<float>& histograms, Matrix<float>& gram) {
  for_each_tile(kItems, kItems, 128, true, {}, [&](const Tile& tile) {
    pairwise_intersection(
        histograms.view().slice_rows(tile.row, tile.num_rows),
        histograms.view().slice_rows(tile.col, tile.num_cols),
        MatrixView<float>(&gram(tile.row, tile.col), tile.num_rows, tile.num_cols, kItems));
  });
}

Matrix<float> padded(const Matrix<float>& histograms) {
  Matrix<float> out(kItems, kPadded);
  for (size_t i = 0; i < kItems; ++i) std::ranges::copy(histograms.row(i), out.row(i).begin());
  return out;
}

// Over the upper triangle, relative to the value.
template <class A, class B>
double largest_difference(const Matrix<A>& a, const Matrix<B>& b) {
  double most = 0;
  for (size_t i = 0; i < kItems; ++i)
    for (size_t j = i; j < kItems; ++j)
      most = std::max(most, std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j))) /
                                (1e-9 + std::abs(static_cast<double>(b(i, j)))));
  return most;
}

// 1,000 vectors per picture, each near one of the words by chance, words uneven.
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

void race_dense(Record& record, int rounds) {
  const Matrix<float> histograms = dense_histograms(), wide = padded(histograms);
  Matrix<float> ours(kItems, kItems), plain(kItems, kItems), blocked(kItems, kItems);
  record.race(
      {"intersection Gram", "1,500 dense histograms of 4,200 bins, every pair once", "Gram"},
      {{"muster", [&] { tiled(histograms, ours); }, Role::kOurs},
       {"plain loop",
        [&] { plain_intersection_gram(histograms.data(), kItems, kBins, plain.data()); },
        Role::kPeer},
       {"blocked by hand",
        [&] { blocked_intersection_gram(wide.data(), kItems, kPadded, blocked.data()); },
        Role::kBound}},
      rounds);
  const double difference =
      std::max(largest_difference(ours, plain), largest_difference(ours, blocked));
  record.agree(difference < 1e-4, "largest relative difference " + rounded(difference, 2));
  record.compare_threads([&] { tiled(histograms, ours); }, [&] { return bytes_of(ours.values()); },
                         rounds);
}

void race_pyramids(Record& record, int rounds) {
  const Pyramids pyramids;
  const Matrix<float> wide = padded(pyramids.dense);
  Matrix<float> tiles(kItems, kItems), plain(kItems, kItems), blocked(kItems, kItems);
  Matrix<double> ours(kItems, kItems);
  const auto spm = [&] { pyramids.kernel->gram(pyramids.sets, pyramids.sets, ours, {}); };
  record.race(
      {"spm Gram", "1,500 pyramids of 21 cells and 200 words, 1,000 vectors per picture", "Gram"},
      {{"muster spm", spm, Role::kOurs},
       {"plain loop",
        [&] { plain_intersection_gram(pyramids.dense.data(), kItems, kBins, plain.data()); },
        Role::kPeer},
       {"blocked by hand",
        [&] { blocked_intersection_gram(wide.data(), kItems, kPadded, blocked.data()); },
        Role::kPeer},
       {"muster, as dense histograms", [&] { tiled(pyramids.dense, tiles); }}},
      rounds);
  // spm weighs levels, the dense loops do not: they are compared among themselves.
  const double difference =
      std::max(largest_difference(tiles, plain), largest_difference(tiles, blocked));
  record.agree(difference < 1e-4, "largest relative difference " + rounded(difference, 2));
  size_t occupied = 0;
  for (float value : pyramids.dense.values()) occupied += value > 0;
  record.note("occupied", static_cast<double>(occupied) / static_cast<double>(kItems * kBins));
  record.compare_threads(
      spm, [&] { return bytes_of(ours.values()); }, rounds);
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const int rounds = args.rounds_or(5);
  race_dense(record, rounds);
  race_pyramids(record, rounds);
}

}  // namespace muster::bench
