#include "muster/forecast/training_cost.h"

#include <gtest/gtest.h>

#include "support/generated_source.h"

namespace muster {
namespace {

constexpr const char* kRecipe = "fisher:components=4,samples=400/linear-svm:C=3,folds=3";
constexpr size_t kDim = 2 * 4 * 8;

TrainingCost measured(size_t items) {
  const GeneratedSource source(items, 1, {});
  return measure_training(plan_recipe(parse_recipe(kRecipe)), source, all_items_of(source),
                          source.labels(), 3, items, {});
}

const StageCost& stage(const TrainingCost& cost, const std::string& name) {
  return *std::ranges::find(cost.stages, name, &StageCost::stage);
}

TEST(TrainingCost, StagesAddUp) {
  const TrainingCost cost = measured(80);
  EXPECT_EQ(cost.items, 80);
  EXPECT_EQ(cost.vectors_per_item, 20);
  EXPECT_EQ(cost.sampled, 400);
  EXPECT_EQ(cost.features, 80 * 20 * 8 * 4);
  EXPECT_EQ(cost.vectors, 80 * kDim * 4);
  // What the formulas of docs/how-to/cluster.md say.
  EXPECT_EQ(stage(cost, "encoding").bytes_shared, 4 * 80 * kDim);
  EXPECT_GE(stage(cost, "Gram matrix").bytes_shared, 4 * 80 * 80 / 2);
  EXPECT_GE(stage(cost, "other").bytes_shared, 4 * 400 * 8);
  for (const StageCost& one : cost.stages) {
    EXPECT_GE(one.seconds, 0) << one.stage;
    EXPECT_LE(one.divided, one.seconds + 1e-3) << one.stage;
  }
}

TEST(TrainingCost, BytesOfMoreItemsAreForecast) {
  const TrainingCost small = measured(200), large = measured(400), expected = measured(1600);
  const TrainingCost found = extrapolate(plan_recipe(parse_recipe(kRecipe)), small, large, 1600);
  EXPECT_EQ(found.sampled, expected.sampled);
  EXPECT_EQ(found.vectors, expected.vectors);
  for (const char* name : {"encoding", "Gram matrix", "cross-validation"})
    EXPECT_NEAR(stage(found, name).bytes_shared, stage(expected, name).bytes_shared,
                0.1 * stage(expected, name).bytes_shared)
        << name;
}

TEST(TrainingCost, RanksDivideWhatIsDivided) {
  TrainingCost cost;
  cost.items = 1000;
  cost.stages = {{"encoding", 11, 10, 1000, 8e6, 0, 1}, {"training", 4, 3, 3, 0, 1e6, 10}};
  cost.vectors = 4e6;
  RankMachines machines;
  EXPECT_DOUBLE_EQ(forecast(cost, machines).seconds, 15);
  EXPECT_EQ(forecast(cost, machines).bytes_given, 0);
  machines.ranks = 2;
  machines.bytes_per_second = 1e12;
  machines.seconds_per_exchange = 0;
  const RankForecast two = forecast(cost, machines);
  EXPECT_NEAR(two.stage_seconds[0], 1 + 5, 1e-3);
  EXPECT_NEAR(two.stage_seconds[1], 1 + 2, 1e-3);  // three parts on two ranks
  EXPECT_DOUBLE_EQ(two.bytes_given, 4e6 + 1e6);
  EXPECT_DOUBLE_EQ(two.memory_bytes, 8e6);
  cost.stays_sharded = true;
  EXPECT_DOUBLE_EQ(forecast(cost, machines).memory_bytes, 2e6);
  machines.crowding = 2;
  EXPECT_NEAR(forecast(cost, machines).seconds, 2 * two.seconds, 1e-3);
  machines.bytes_per_second = 1e6;
  EXPECT_GT(forecast(cost, machines).seconds, 2 * two.seconds + 4);
}

}  // namespace
}  // namespace muster
