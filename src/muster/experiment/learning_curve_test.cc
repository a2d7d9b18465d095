#include "muster/experiment/learning_curve.h"

#include <gmock/gmock.h>

#include "support/datasets.h"

namespace muster {
namespace {

using testing::HasSubstr;

TEST(LearningCurve, AnExactPowerIsFollowed) {
  // Errors 0.4, 0.2, 0.1: halved by every doubling.
  const Outlook next = outlook({{5, 0.6, 0}, {10, 0.8, 0}, {20, 0.9, 0}});
  EXPECT_NEAR(next.accuracy, 0.95, 1e-12);
  EXPECT_NEAR(next.error_falls_by, 0.5, 1e-12);
}

TEST(LearningCurve, MoreDataNeverHurtAndPerfectionStays) {
  EXPECT_NEAR(outlook({{5, 0.8, 0}, {10, 0.7, 0}}).accuracy, 0.7, 1e-12);
  EXPECT_GE(outlook({{5, 1, 0}, {10, 1, 0}}).accuracy, 1 - 1e-9);
}

TEST(LearningCurve, TheSentenceSaysHowMuchOrThatItIsLittle) {
  EXPECT_EQ(outlook_sentence("emk", {{10, 0.6, 0.01}, {20, 0.8, 0.01}}),
            "emk: 80.0 % with 20 training items per class; twice as many would bring about 10.0 "
            "points (to 90.0 %), as each "
            "doubling took away 50 % of the errors.");
  EXPECT_THAT(outlook_sentence("emk", {{10, 0.79, 0.01}, {20, 0.8, 0.03}}),
              HasSubstr("would bring little"));
}

TEST(LearningCurve, RunsEveryValueAndKeepsItApart) {
  const TempDir data, out;
  put_sets(data, 3, 12, 6);
  ExperimentOptions options;
  options.methods = {{"small", parse_recipe("bow:words=8/linear-svm:C=10")}};
  options.protocol.splits = 2;
  options.out = out.path() / "bench";
  const Results results = run_curve(open_dataset(data.path()), options, {"train", {6, 3}}, {},
                                    [](const std::string&) {});
  ASSERT_EQ(results.methods.size(), 2u);
  EXPECT_EQ(results.methods[0].method, "small, train = 3");
  EXPECT_EQ(results.methods[0].series, "small");
  ASSERT_EQ(results.curves.size(), 1u);
  const auto& points = results.curves[0].series.at(0).points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].x, 6);
  EXPECT_EQ(points[1].y, results.methods[1].measures.accuracy->mean);
  EXPECT_EQ(results.notes.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(options.out / "train-3" / "raw" / "small.000.json"));
  EXPECT_TRUE(std::filesystem::exists(options.out / "results.json"));
}

}  // namespace
}  // namespace muster
