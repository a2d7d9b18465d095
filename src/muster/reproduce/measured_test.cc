#include "muster/reproduce/measured.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

PaperExperiment experiment() {
  return parse_experiment("x", R"(
title = "D"
paper = "P"
data = "scene-15"
tolerance = 1
[sweep]
name = "D"
values = [10, 20]
[[method]]
name = "a"
recipe = "bow/linear-svm"
paper = [50, "-"]
[[method]]
name = "b"
recipe = "bow/linear-svm"
paper = [60, 70]
[[claim]]
of = "b"
over = "a"
at_least = 10
[[claim]]
text = "time"
of = "b"
over = "a"
measure = "seconds.test"
ratio = true
at_least = 4
at = 20
)");
}

Measured measured(const std::string& method, double value, std::vector<double> accuracies,
                  double seconds) {
  Json record{{"accuracy_mean", (accuracies[0] + accuracies[1]) / 2},
              {"accuracy_std", 0.01},
              {"accuracy_interval", {0.1, 0.9}},
              {"seconds", {{"test", seconds}}}};
  for (const double accuracy : accuracies) record["splits"].push_back({{"accuracy", accuracy}});
  return {method, "", value, record};
}

std::vector<Measured> all() {
  return {measured("a", 10, {0.495, 0.495}, 1), measured("b", 10, {0.55, 0.57}, 1),
          measured("a", 20, {0.6, 0.6}, 1), measured("b", 20, {0.70, 0.72}, 2)};
}

TEST(Measured, RowsSayReachedOrByHowMuchNot) {
  const Json rows = comparison_of(experiment(), all(), true);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0]["name"], "a, D = 10");
  EXPECT_EQ(rows[0]["verdict"], "reached");  // within the tolerance
  EXPECT_EQ(rows[1]["verdict"], "short by 3.0 points");
  EXPECT_EQ(rows[2]["verdict"], "reached");
  EXPECT_EQ(rows[3]["name"], "b over a, D = 10");
  EXPECT_EQ(rows[3]["verdict"], "short by 3.5 points");
  EXPECT_NEAR(rows[3]["ours_std"].get<double>(), 0.01414, 1e-4);
  EXPECT_EQ(rows[4]["verdict"], "reached");
  EXPECT_EQ(rows[5]["verdict"], "short by a factor of 2");
  EXPECT_EQ(rows[5]["ours"], 2.0);
}

TEST(Measured, EqualMeansAreEqualWhateverTheirRounding) {
  PaperExperiment equal = experiment();
  equal.claims.resize(1);
  equal.claims[0].at_least = 0;
  const double third = 1.0 / 3;
  std::vector<Measured> runs = {measured("a", 10, {third, third}, 1),
                                measured("b", 10, {third, third}, 1)};
  runs[1].record["accuracy_mean"] = third - 1e-15;
  const Json row = comparison_of(equal, runs, true).back();
  EXPECT_EQ(row["verdict"], "reached");
  EXPECT_EQ(row["ours"], 0.0);
}

TEST(Measured, OnOtherDataThereIsNoVerdict) {
  for (const Json& row : comparison_of(experiment(), all(), false))
    EXPECT_EQ(row["verdict"], "other data than the paper's");
}

TEST(Measured, CurvesHoldOursAndThePapers) {
  const Json curves = curves_of(experiment(), all());
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0]["series"].size(), 4u);
  EXPECT_EQ(curves[0]["series"][0]["points"][1], (Json{20.0, 0.6, 0.1, 0.9}));
  EXPECT_EQ(curves[0]["series"][1]["points"], (Json{{10.0, 0.5}}));
  EXPECT_EQ(curves[0]["y"]["unit"], "percent");
}

TEST(Measured, CurvesOverMeasuredTime) {
  PaperExperiment e = experiment();
  e.sweep->measured_x = {"test"};
  const Json curves = curves_of(e, all());
  ASSERT_EQ(curves[0]["series"].size(), 2u);
  EXPECT_EQ(curves[0]["series"][1]["points"][1][0], 2.0);
}

TEST(Measured, RunsOnDifferentClassesBecomeOneRecord) {
  const auto run = [](const char* a, const char* b, int label) {
    Json record{{"version", "1"},
                {"seed", 1},
                {"class_names", {a, b}},
                {"data", Json::object()},
                {"protocol", Json::object()},
                {"machine", Json::object()}};
    Measured m{"m", std::string(a) + b, std::nullopt, {}};
    m.record = {{"method", "file-name"},
                {"splits", {{{"predictions", {{{"label", label}, {"predicted", 1}}}}}}}};
    return MeasuredRun{record, {m}};
  };
  const Json out = merge_runs({run("x", "y", 0), run("w", "x", 1)}, std::nullopt);
  EXPECT_EQ(out["class_names"], (Json{"x", "y", "w"}));
  EXPECT_EQ(out["results"][1]["method"], "wx: m");
  EXPECT_EQ(out["results"][1]["splits"][0]["predictions"][0]["label"], 0);
  EXPECT_EQ(out["results"][0]["splits"][0]["predictions"][0]["predicted"], 1);
  EXPECT_NE(out["results"][0]["group"], out["results"][1]["group"]);
}

}  // namespace
}  // namespace muster
