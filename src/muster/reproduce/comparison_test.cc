#include "muster/reproduce/comparison.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

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
  Measured out{method, "", value, {}};
  out.result.measures.accuracy =
      MeasureSummary{(accuracies[0] + accuracies[1]) / 2, 0.01, 0.1, 0.9};
  out.result.seconds = {{"test", seconds}};
  for (const double accuracy : accuracies)
    out.result.splits.emplace_back().measures.accuracy = accuracy;
  return out;
}

std::vector<MeasuredRun> all() {
  return {{{}, {measured("a", 10, {0.495, 0.495}, 1), measured("b", 10, {0.55, 0.57}, 1)}},
          {{}, {measured("a", 20, {0.6, 0.6}, 1), measured("b", 20, {0.70, 0.72}, 2)}}};
}

TEST(Comparison, RowsSayReachedOrByHowMuchNot) {
  const std::vector<ComparisonRow> rows = comparison_of(experiment(), all(), true);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].name, "a, D = 10");
  EXPECT_EQ(rows[0].verdict, "reached");  // within the tolerance
  EXPECT_EQ(rows[1].verdict, "short by 3.0 points");
  EXPECT_EQ(rows[2].verdict, "reached");
  EXPECT_EQ(rows[3].name, "b over a, D = 10");
  EXPECT_EQ(rows[3].verdict, "short by 3.5 points");
  EXPECT_NEAR(*rows[3].ours_std, 0.01414, 1e-4);
  EXPECT_EQ(rows[4].verdict, "reached");
  EXPECT_EQ(rows[5].verdict, "short by a factor of 2");
  EXPECT_EQ(rows[5].ours, 2.0);
}

// The claims of experiment(), with one put in place of them.
std::vector<ComparisonRow> rows_of_claim(const PaperClaim& claim) {
  PaperExperiment e = experiment();
  e.methods[0].paper[""] = {PaperFigure{0.5, {}}, PaperFigure{0.65, {}}};
  e.claims = {claim};
  std::vector<ComparisonRow> rows = comparison_of(e, all(), true);
  rows.erase(rows.begin(), rows.begin() + 4);  // the paper's figures
  return rows;
}

PaperClaim b_over_a() {
  PaperClaim claim;
  claim.of = "b";
  claim.over = "a";
  claim.measure = "accuracy";
  return claim;
}

TEST(Comparison, AClaimWithoutABoundTakesThePapersFiguresAtEachValue) {
  const std::vector<ComparisonRow> rows = rows_of_claim(b_over_a());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(*rows[0].paper, 0.1, 1e-12);
  EXPECT_EQ(rows[0].verdict, "short by 3.5 points");
  EXPECT_NEAR(*rows[1].paper, 0.05, 1e-12);
  EXPECT_EQ(rows[1].verdict, "reached");
}

TEST(Comparison, AClaimMayHaveAnUpperBoundAndAPrintedFigureInside) {
  PaperClaim claim = b_over_a();
  claim.at = 20;
  claim.ratio = true;
  claim.measure = "seconds.test";
  claim.at_least = 1;
  claim.paper = 1.5;
  for (const auto& [at_most, verdict] :
       {std::pair{2.0, "reached"}, {1.6, "beyond by a factor of 1.2"}}) {
    claim.at_most = at_most;
    const ComparisonRow row = rows_of_claim(claim).at(0);
    EXPECT_EQ(row.verdict, verdict);
    EXPECT_EQ(row.paper, 1.5);
  }
}

TEST(Comparison, AClaimMayCompareTwoValuesOfTheSweep) {
  PaperClaim claim = b_over_a();
  claim.of = "a";
  claim.at = 20;
  claim.over_at = 10;
  claim.at_least = 0.1;
  const std::vector<ComparisonRow> rows = rows_of_claim(claim);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(*rows[0].ours, 0.6 - 0.495, 1e-12);
}

TEST(Comparison, AClaimOfOursHasNoVerdict) {
  PaperClaim claim = b_over_a();
  claim.ours = true;
  for (const ComparisonRow& row : rows_of_claim(claim)) {
    EXPECT_EQ(row.verdict, "not in the paper");
    EXPECT_FALSE(row.paper);
    EXPECT_TRUE(row.ours);
  }
}

TEST(Comparison, EqualMeansAreEqualWhateverTheirRounding) {
  PaperExperiment equal = experiment();
  equal.claims.resize(1);
  equal.claims[0].at_least = 0;
  const double third = 1.0 / 3;
  std::vector<MeasuredRun> runs = {
      {{}, {measured("a", 10, {third, third}, 1), measured("b", 10, {third, third}, 1)}}};
  runs[0].measured[1].result.measures.accuracy->mean = third - 1e-15;
  const ComparisonRow row = comparison_of(equal, runs, true).back();
  EXPECT_EQ(row.verdict, "reached");
  EXPECT_EQ(row.ours, 0.0);
}

TEST(Comparison, OnOtherDataThereIsNoVerdict) {
  for (const ComparisonRow& row : comparison_of(experiment(), all(), false))
    EXPECT_EQ(row.verdict, "other data than the paper's");
}

TEST(Comparison, CurvesHoldOursAndThePapers) {
  const std::vector<Curve> curves = curves_of(experiment(), all());
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].series.size(), 4u);
  const CurvePoint& ours = curves[0].series[0].points.at(1);
  EXPECT_EQ(ours.x, 20);
  EXPECT_EQ(ours.y, 0.6);
  EXPECT_EQ(ours.low, 0.1);
  EXPECT_EQ(ours.high, 0.9);
  ASSERT_EQ(curves[0].series[1].points.size(), 1u);
  EXPECT_TRUE(curves[0].series[1].paper);
  EXPECT_EQ(curves[0].series[1].points[0].y, 0.5);
  EXPECT_FALSE(curves[0].series[1].points[0].low);
  EXPECT_EQ(curves[0].unit, "percent");
}

TEST(Comparison, CurvesOverMeasuredTime) {
  PaperExperiment e = experiment();
  e.sweep->measured_x = {"test"};
  const std::vector<Curve> curves = curves_of(e, all());
  ASSERT_EQ(curves[0].series.size(), 2u);
  EXPECT_EQ(curves[0].series[1].points.at(1).x, 2.0);
}

}  // namespace
}  // namespace muster
