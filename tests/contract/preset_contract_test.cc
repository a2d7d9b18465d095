// Every preset, from pictures on disk to a model file and back.
#include "contract/contract.h"
#include "muster/explain/deciding.h"
#include "muster/explain/place_map.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "support/datasets.h"

namespace muster::contract {
namespace {

constexpr int kClasses = 3, kPerClass = 8, kSide = 64;

// One folder of pictures for all tests of the process.
const Dataset& picture_set() {
  static const TempDir folder;
  static const Dataset dataset = [] {
    put_pictures(folder, kClasses, kPerClass, kSide);
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

class EveryPreset : public ::testing::TestWithParam<Preset> {};
INSTANTIATE_TEST_SUITE_P(Contract, EveryPreset, ::testing::ValuesIn(all_presets()),
                         [](const auto& info) { return test_name(info.param.name); });

TEST_P(EveryPreset, FitsSavesAndLoadsWithTheSameBytesForAnyThreads) {
  MUSTER_NETWORK_OR_SKIP(needs_network(parse_recipe(GetParam().recipe)));
  const Plan plan = plan_recipe(small_recipe(GetParam()));
  const std::vector<size_t> items = all_items(picture_set());
  const TempDir out;
  std::vector<Matrix<double>> scores;
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const CachedSource source(picture_set());
    const Pipeline pipeline = fit_pipeline(plan, source, items, picture_set().labels, kSeed, {});
    pipeline.save(out / fmt::format("{}.muster", threads));
    scores.push_back(pipeline.score(source, items, {}).scores);
  }
  for (const int threads : {2, 4})
    EXPECT_TRUE(read_whole_file(out / "1.muster") ==
                read_whole_file(out / fmt::format("{}.muster", threads)))
        << "model files differ with " << threads << " threads";
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_EQ(scores[0], scores[2]);

  const CachedSource source(picture_set());
  const Pipeline loaded = Pipeline::load(out / "1.muster");
  EXPECT_EQ(loaded.score(source, items, {}).scores, scores[0]);
  EXPECT_EQ(loaded.plan().recipe(), plan.recipe());
  EXPECT_EQ(loaded.class_names(), picture_set().labels.class_names);
  EXPECT_EQ(loaded.seed(), kSeed);
  loaded.save(out / "again.muster");
  EXPECT_TRUE(read_whole_file(out / "again.muster") == read_whole_file(out / "1.muster"));
  EXPECT_TRUE(all_finite(scores[0].values()));
}

TEST_P(EveryPreset, IsExplainedWithFiniteEvidenceTheSameForAnyThreads) {
  MUSTER_NETWORK_OR_SKIP(needs_network(parse_recipe(GetParam().recipe)));
  const CachedSource source(picture_set());
  const Ensemble ensemble(fit_pipeline(plan_recipe(small_recipe(GetParam())), source,
                                       all_items(picture_set()), picture_set().labels, kSeed, {}));
  for (const size_t item : {size_t{0}, size_t{kPerClass}}) {
    std::vector<std::vector<double>> values;
    for (const int threads : {1, 4}) {
      const ThreadLimit limit(threads);
      const ItemVectors vectors(ensemble, source, item);
      const Question question;
      const Evidence evidence = find_evidence(ensemble, vectors, question, {4}, {});
      EXPECT_TRUE(all_finite(evidence.values));
      EXPECT_TRUE(std::isfinite(evidence.score));
      double sum = evidence.rest;
      for (const double value : evidence.values) sum += value;
      EXPECT_NEAR(sum, evidence.score, 1e-6 * (1 + std::abs(evidence.score)));
      EXPECT_TRUE(all_finite(place_map(vectors, evidence.values, 16).values()));
      for (const DecidingItem& one : deciding_items(ensemble, vectors, question, 3, {}))
        EXPECT_TRUE(std::isfinite(one.value));
      values.push_back(evidence.values);
    }
    EXPECT_EQ(values[0], values[1]);
  }
}

}  // namespace
}  // namespace muster::contract
