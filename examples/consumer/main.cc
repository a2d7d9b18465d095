// Trains on sets of vectors, saves the model, loads it and classifies a set that is in memory.
//   consumer FOLDER        writes its sets and its model there
#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "muster/pipeline/pipeline.h"
#include "muster/store/npy.h"

namespace {

// Ten to thirty points: of a disc, or of its rim.
muster::Matrix<float> points(bool rim, muster::Rng rng) {
  muster::Matrix<float> out(10 + rng.below(21), 2);
  for (size_t i = 0; i < out.rows(); ++i) {
    const double angle = rng.uniform(0, 6.2831853), radius = rim ? 1 : std::sqrt(rng.uniform());
    out(i, 0) = static_cast<float>(radius * std::cos(angle));
    out(i, 1) = static_cast<float>(radius * std::sin(angle));
  }
  return out;
}

int run(const std::filesystem::path& folder) {
  // FOLDER/sets/CLASS/N.npy: what `muster train FOLDER/sets` takes as well.
  for (const bool rim : {false, true}) {
    const auto sets = folder / "sets" / (rim ? "rim" : "disc");
    std::filesystem::create_directories(sets);
    for (uint64_t i = 0; i < 20; ++i)
      muster::write_npy(sets / fmt::format("{:02}.npy", i),
                        points(rim, muster::Rng(rim).derive(i)));
  }

  const muster::Dataset dataset = muster::open_dataset(folder / "sets");
  const muster::ItemSource source(dataset);
  std::vector<size_t> items(dataset.items.size());
  std::iota(items.begin(), items.end(), size_t{0});
  const muster::Plan plan = muster::plan_recipe(muster::parse_recipe("bow:words=16/linear-svm"));
  muster::fit_pipeline(plan, source, items, dataset.labels, /*seed=*/1, /*progress=*/{})
      .save(folder / "model.muster");

  const muster::Pipeline model = muster::Pipeline::load(folder / "model.muster");
  int correct = 0;
  for (uint64_t i = 0; i < 20; ++i) {
    const bool rim = i % 2 == 1;
    const muster::VectorSet set{points(rim, muster::Rng(100).derive(i)), {}};
    const muster::Matrix<double> scores = model.scores({set});
    const size_t best = scores(0, 1) > scores(0, 0) ? 1 : 0;
    correct += model.class_names()[best] == (rim ? "rim" : "disc") ? 1 : 0;
  }
  fmt::print("{} of 20 new sets classified correctly\n", correct);
  return correct >= 16 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: consumer FOLDER\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const muster::Error& error) {
    fmt::print(stderr, "consumer: {}\n", error.what());
    return static_cast<int>(error.kind());
  }
}
