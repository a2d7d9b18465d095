#include "muster/results/results.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::Pair;

MethodResult method_of(const std::string& name, std::optional<double> accuracy,
                       std::optional<double> map) {
  MethodResult out;
  out.method = name;
  if (accuracy) out.measures.accuracy = MeasureSummary{*accuracy, {}, {}, {}};
  if (map) out.measures.map = MeasureSummary{*map, {}, {}, {}};
  return out;
}

TEST(Results, TheBestIsTheFirstOfTheHighest) {
  Results results;
  EXPECT_EQ(results.best(), nullptr);
  results.methods = {method_of("x", 0.4, {}), method_of("y", 0.6, {}), method_of("z", 0.6, {})};
  EXPECT_EQ(results.best()->method, "y");
  EXPECT_FALSE(results.multi_label());
}

TEST(Results, MeanApDecidesOfMultiLabelData) {
  Results results;
  results.methods = {method_of("x", {}, 0.4), method_of("y", {}, 0.6)};
  EXPECT_TRUE(results.multi_label());
  EXPECT_EQ(results.best()->method, "y");
  results.methods[0].splits.resize(3);
  results.methods[0].splits[0].measures.map = 0.3;
  results.methods[0].splits[2].measures.map = 0.5;
  EXPECT_THAT(results.methods[0].deciding_values(), ElementsAre(0.3, 0.5));
}

TEST(Results, MeasuresAreFoundByName) {
  Measures<double> measures;
  measures.map_11_point = 0.25;
  EXPECT_EQ(measures.find("map_11_point"), 0.25);
  EXPECT_EQ(measures.find("map"), std::nullopt);
  EXPECT_EQ(measures.find("no measure"), std::nullopt);
}

TEST(Results, SecondsAreAddedByStage) {
  StageTimes times;
  add_seconds(times, "fit", 1);
  add_seconds(times, "train", 2);
  add_seconds(times, "fit", 0.5);
  EXPECT_THAT(times, ElementsAre(Pair("fit", 1.5), Pair("train", 2)));
  EXPECT_EQ(seconds_of(times, "none"), std::nullopt);
}

TEST(Results, FactsSayWhatIsThere) {
  EXPECT_THAT(facts_of(DataFacts{"photos", 12, {}, {"a", "b"}, {}, ""}),
              ElementsAre(Pair("path", "photos"), Pair("items", "12"), Pair("left out", "a, b")));
  EXPECT_THAT(facts_of(MachineFacts{"some", 2, ""}),
              ElementsAre(Pair("cpu", "some"), Pair("cores", "2")));
}

TEST(Results, CountsConfusionOverSplits) {
  MethodResult method;
  method.splits.resize(2);
  method.splits[0].predictions = {{"a", 0, 0, {}}, {"b", 0, 1, {}}};
  method.splits[1].predictions = {{"c", 1, 2, {}}, {"a", 0, 0, {}}};
  EXPECT_THAT(confusion_counts(method, 3),
              ElementsAre(ElementsAre(2, 1, 0), ElementsAre(0, 0, 1), ElementsAre(0, 0, 0)));
}

}  // namespace
}  // namespace muster
