#include "muster/experiment/runs.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;

MeasuredRun run_of(const std::string& a, const std::string& b, int label) {
  MeasuredRun run;
  run.facts.version = "1";
  run.facts.class_names = {a, b};
  Measured& m = run.measured.emplace_back(Measured{"m", a + b, std::nullopt, {}});
  m.result.method = "file-name";
  m.result.splits.emplace_back().predictions = {{"", label, 1, {}}};
  return run;
}

TEST(Runs, OnDifferentClassesBecomeOneRecord) {
  const Results out = merge_runs({run_of("x", "y", 0), run_of("w", "x", 1)}, "");
  EXPECT_THAT(out.class_names, ElementsAre("x", "y", "w"));
  EXPECT_EQ(out.methods[1].method, "wx: m");
  EXPECT_EQ(out.methods[1].series, "m");
  EXPECT_EQ(out.methods[1].splits[0].predictions[0].label, 0);
  EXPECT_EQ(out.methods[1].splits[0].predictions[0].predicted, 0);
  EXPECT_EQ(out.methods[0].splits[0].predictions[0].predicted, 1);
  EXPECT_NE(out.methods[0].group, out.methods[1].group);
}

TEST(Runs, NamesSayPartMethodAndValue) {
  EXPECT_EQ(full_name({"emk", "15 per class", 500, {}}, "D"), "15 per class: emk, D = 500");
  EXPECT_EQ(full_name({"emk", "", std::nullopt, {}}, ""), "emk");
}

TEST(Runs, AValueHasASpreadOnlyIfThereAreSeveralSplits) {
  MethodResult result;
  result.measures.accuracy = MeasureSummary{0.5, 0.1, 0.4, 0.6};
  result.seconds = {{"train", 2.5}};
  result.splits.resize(1);
  EXPECT_FALSE(value_of(result, "accuracy")->deviation);
  EXPECT_FALSE(curve_point(result, "accuracy", 3)->low);
  result.splits.resize(2);
  EXPECT_EQ(value_of(result, "accuracy")->deviation, 0.1);
  EXPECT_EQ(curve_point(result, "accuracy", 3)->high, 0.6);
  EXPECT_EQ(value_of(result, "seconds.train")->mean, 2.5);
  EXPECT_FALSE(value_of(result, "seconds.test"));
  EXPECT_FALSE(value_of(result, "map"));
}

TEST(Runs, TimePerItemIsOfTheItemsOfTheStage) {
  MethodResult result;
  for (const size_t tested : {10, 30}) {
    SplitResult& split = result.splits.emplace_back();
    split.num_train = 5;
    split.num_test = tested;
    split.seconds = {{"train", 0.5}, {"test_encode", 0.2}};
  }
  EXPECT_DOUBLE_EQ(value_of(result, "ms_per_item.test_encode")->mean, 10);
  EXPECT_DOUBLE_EQ(value_of(result, "ms_per_item.train")->mean, 100);
  EXPECT_FALSE(value_of(result, "ms_per_item.test_classify"));
  result.splits[1].num_test.reset();
  EXPECT_FALSE(value_of(result, "ms_per_item.test_encode"));
}

TEST(Runs, TimesAndAucAreNotPercentages) {
  EXPECT_EQ(unit_of("accuracy"), "percent");
  EXPECT_EQ(unit_of("auc"), "");
  EXPECT_EQ(unit_of("seconds.train"), "seconds");
  EXPECT_EQ(label_of("seconds.train"), "Seconds of train");
  EXPECT_EQ(unit_of("ms_per_item.test"), "ms");
  EXPECT_EQ(label_of("ms_per_item.test"), "Milliseconds per item of test");
}

}  // namespace
}  // namespace muster
