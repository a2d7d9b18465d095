#include "muster/report/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/report/test_record.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(Results, ReadsTheRecord) {
  const Results results = read_results(test_record());
  ASSERT_EQ(results.methods.size(), 2u);
  EXPECT_EQ(results.best(), &results.methods[0]);
  EXPECT_EQ(results.seed, "1");
  EXPECT_EQ(results.methods[0].splits[0].predictions.size(), 4u);
  EXPECT_EQ(results.methods[0].seconds_of("kmeans"), 100.2);
  EXPECT_EQ(results.methods[0].seconds_of("none"), std::nullopt);
  EXPECT_THAT(results.machine, ElementsAre(Pair("cpu.model", "some"), Pair("cpu.cores", "2"),
                                           Pair("flags", "a, b")));
}

TEST(Results, CountsConfusionOverSplits) {
  const Results results = read_results(test_record());
  EXPECT_THAT(confusion_counts(results.methods[0], 3),
              ElementsAre(ElementsAre(1, 1, 0), ElementsAre(0, 1, 1), ElementsAre(0, 0, 0)));
}

TEST(Results, PlainJsonConverts) {
  const nlohmann::json plain = test_record();
  EXPECT_EQ(read_results(plain).methods.size(), 2u);
}

TEST(Results, MultiLabelPredictionsKeepTheirScoresAndMeanApDecides) {
  const auto record = nlohmann::ordered_json::parse(R"({"class_names": ["a", "b"], "results": [
    {"method": "x", "map_mean": 0.4, "splits": [{"predictions": [{"labels": [0, 1], "scores": [0.5, -1]}]}]},
    {"method": "y", "map_mean": 0.6}]})");
  const Results results = read_results(record);
  EXPECT_TRUE(results.multi_label());
  EXPECT_TRUE(results.methods[0].splits[0].predictions.empty());
  EXPECT_EQ(results.methods[0].splits[0].scored[0].scores[1], -1);
  EXPECT_EQ(results.best()->method, "y");
}

TEST(Results, SharesOfBranchesAndWeightsOfCellsAreMeansOverSplits) {
  const auto record = nlohmann::ordered_json::parse(R"({"results": [{"method": "dspm", "splits": [
    {"kernel_shares": [{"branch": "a", "share": 0.25, "parts": [1, 0, 0, 0, 1]}, {"branch": "b", "share": 0.75, "parts": [3, 4]}]},
    {"kernel_shares": [{"branch": "a", "share": 0.75, "parts": [0, 2, 0, 0, 1]}, {"branch": "b", "share": 0.25, "parts": [3, 4]}]}]}]})");
  const Results results = read_results(record);
  ASSERT_EQ(results.weight_maps.size(), 1u);  // two values are no pyramid
  EXPECT_EQ(results.weight_maps[0].title, "dspm: a");
  EXPECT_THAT(results.weight_maps[0].levels,
              ElementsAre(ElementsAre(0.5), ElementsAre(1, 0, 0, 1)));
  ASSERT_EQ(results.branch_shares.size(), 2u);
  EXPECT_EQ(results.branch_shares[1].branch, "b");
  EXPECT_DOUBLE_EQ(results.branch_shares[1].share, 0.5);
}

TEST(Results, NoMethodNoBest) {
  EXPECT_EQ(
      read_results(nlohmann::ordered_json{{"results", nlohmann::ordered_json::array()}}).best(),
      nullptr);
}

TEST(Results, RefusesWhatIsNoRecordAndNamesTheField) {
  const auto message = [](const char* text) -> std::string {
    try {
      read_results(nlohmann::ordered_json::parse(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("[]"), HasSubstr("an object"));
  EXPECT_THAT(message("{}"), HasSubstr("'results' must be a list"));
  EXPECT_THAT(message(R"({"results": [1]})"), HasSubstr("results[0]"));
  EXPECT_THAT(message(R"({"results": [{}]})"), HasSubstr("results[0].method"));
  EXPECT_THAT(message(R"({"results": [{"method": "x", "accuracy_mean": "y"}]})"),
              HasSubstr("results[0].accuracy_mean"));
  EXPECT_THAT(message(R"({"results": [{"method": "x", "seconds": {"train": "y"}}]})"),
              HasSubstr("results[0].seconds.train"));
  EXPECT_THAT(message(R"({"results": [], "comparison": [{"ours": "x"}]})"),
              HasSubstr("comparison[0].ours"));
  EXPECT_THAT(message(R"({"results": [], "curves": [{"series": [{"points": [[1]]}]}]})"),
              HasSubstr("curves[0].series[0].points"));
  EXPECT_THAT(message(R"({"results": [], "weight_maps": [{"levels": [[1, 2]]}]})"),
              HasSubstr("weight_maps[0].levels"));
  EXPECT_THAT(message(R"({"class_names": ["a", "b"], "results": [{"method": "x",
      "splits": [{"predictions": [{"labels": [0], "scores": [1]}]}]}]})"),
              HasSubstr("predictions.scores"));
  for (const char* label : {"2", "-1", "0.5", "\"a\"", "18446744073709551615"})
    EXPECT_THAT(message(fmt::format(R"({{"class_names": ["a", "b"], "results": [{{"method": "x",
        "splits": [{{"predictions": [{{"label": {}, "predicted": 0}}]}}]}}]}})",
                                    label)
                            .c_str()),
                HasSubstr("splits[0].predictions.label"))
        << label;
}

}  // namespace
}  // namespace muster
