// Every preset, from pictures on disk to a model file and back.
#include <numeric>

#include "contract/contract.h"
#include "muster/image/decode.h"
#include "muster/image/synth.h"
#include "muster/pipeline/pipeline.h"
#include "oracle/temp_dir.h"

namespace muster::contract {
namespace {

constexpr int kClasses = 3, kPerClass = 8, kSide = 64;

// One folder of pictures for all tests of the process.
const Dataset& pictures() {
  static const TempDir folder;
  static const Dataset dataset = [] {
    const std::vector<std::string> names = synth_class_names(kClasses);
    for (int c = 0; c < kClasses; ++c)
      for (int i = 0; i < kPerClass; ++i) {
        const Rng rng =
            Rng(kSeed).derive(static_cast<uint64_t>(c)).derive(static_cast<uint64_t>(i));
        const std::vector<std::byte> bytes = encode_png(synth_image(c, kSide, kSide, rng));
        folder.put(fmt::format("{}/{}.png", names[static_cast<size_t>(c)], i),
                   std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      }
    return open_dataset(folder.path());
  }();
  return dataset;
}

Recipe small_recipe(const Preset& preset) {
  Recipe recipe = parse_recipe(preset.recipe);
  std::vector<std::string> assignments;
  const auto look = [&](const StageSpec& stage) {
    const std::unique_ptr<AnyOptions> options = find_stage(stage.name).make_options();
    for (const SmallValue& small : kSmall)
      if (options->fields().find(small.option))
        assignments.push_back(fmt::format("{}.{}={}", stage.name, small.option, small.value));
  };
  for (const auto& branch : recipe.branches)
    for (const StageSpec& stage : branch) look(stage);
  for (const StageSpec& stage : recipe.joined) look(stage);
  for (const std::string& assignment : assignments) override_option(recipe, assignment);
  return recipe;
}

std::vector<size_t> all_items() {
  std::vector<size_t> items(pictures().items.size());
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

class EveryPreset : public ::testing::TestWithParam<Preset> {};
INSTANTIATE_TEST_SUITE_P(Contract, EveryPreset, ::testing::ValuesIn(all_presets()),
                         [](const auto& info) { return test_name(info.param.name); });

TEST_P(EveryPreset, FitsSavesAndLoadsWithTheSameBytesForAnyThreads) {
  const Plan plan = plan_recipe(small_recipe(GetParam()));
  const std::vector<size_t> items = all_items();
  const TempDir out;
  std::vector<Matrix<double>> scores;
  for (int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const ItemSource source(pictures());
    const Pipeline pipeline = fit_pipeline(plan, source, items, pictures().labels, kSeed, {});
    pipeline.save(out / fmt::format("{}.muster", threads));
    scores.push_back(pipeline.scores(source, items, {}));
  }
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_TRUE(read_whole_file(out / "1.muster") == read_whole_file(out / "2.muster"))
      << "model files differ";

  const ItemSource source(pictures());
  const Pipeline loaded = Pipeline::load(out / "1.muster");
  EXPECT_EQ(loaded.scores(source, items, {}), scores[0]);
  EXPECT_EQ(loaded.plan().recipe(), plan.recipe());
  EXPECT_EQ(loaded.class_names(), pictures().labels.class_names);
  EXPECT_EQ(loaded.seed(), kSeed);
  loaded.save(out / "again.muster");
  EXPECT_TRUE(read_whole_file(out / "again.muster") == read_whole_file(out / "1.muster"));
  EXPECT_TRUE(all_finite(scores[0].values()));
}

}  // namespace
}  // namespace muster::contract
