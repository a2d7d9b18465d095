#include "muster/results/results_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/core/error.h"
#include "support/results_record.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(ResultsJson, ReadsTheRecord) {
  const Results results = results_from_json(results_record());
  ASSERT_EQ(results.methods.size(), 2u);
  EXPECT_EQ(results.seed, 1u);
  EXPECT_EQ(results.data->path, "photos");
  EXPECT_EQ(results.machine->cores, 2u);
  EXPECT_EQ(results.protocol.at(1), std::make_pair(std::string("train"), std::string("30")));
  const MethodResult& method = results.methods[0];
  EXPECT_EQ(method.splits[0].predictions.size(), 4u);
  EXPECT_EQ(method.splits[0].seed, 7u);
  EXPECT_EQ(method.measures.accuracy->deviation, 0.0125);
  EXPECT_FALSE(method.measures.auc);
  EXPECT_EQ(seconds_of(method.seconds, "kmeans"), 100.2);
}

TEST(ResultsJson, MultiLabelPredictionsKeepTheirScores) {
  const auto record = Json::parse(R"({"class_names": ["a", "b"], "results": [
    {"method": "x", "map_mean": 0.4, "splits": [{"predictions": [{"labels": [0, 1], "scores": [0.5, -1]}]}]},
    {"method": "y", "map_mean": 0.6}]})");
  const Results results = results_from_json(record);
  EXPECT_TRUE(results.methods[0].splits[0].predictions.empty());
  EXPECT_EQ(results.methods[0].splits[0].scored[0].scores[1], -1);
}

// Every field that a record can have, as the writer orders them.
constexpr const char* kWhole = R"json({
  "version": "0.1.0", "seed": 5, "class_names": ["a", "b"],
  "data": {"items": 4, "classes": 2, "left_out": ["x.jpg: cut short"], "notes": ["n"], "key": "00ff", "path": "photos"},
  "protocol": {"protocol": "voc", "train": "30"}, "machine": {"cpu": "c", "cores": 2, "compiler": "g"},
  "results": [
    {"method": "m", "group": "0", "series": "s", "recipe": "r", "full_recipe": "r:o=1",
     "universal": {"file": "u", "checksum": "1"},
     "accuracy_mean": 0.5, "accuracy_std": 0.25, "accuracy_interval": [0.25, 0.75],
     "mean_class_accuracy_mean": 0.5, "auc_mean": 0.75, "average_precision_mean": 0.5,
     "average_precision_11_point_mean": 0.5, "map_mean": 0.25, "map_11_point_mean": 0.125,
     "labels": [{"label": "a", "auc_mean": 0.5, "average_precision_mean": 0.5, "average_precision_11_point_mean": 1.0}],
     "seconds": {"fit": 1.5, "train": 2.5}, "peak_memory_mib": 8.5,
     "splits": [
       {"seed": 7, "concept": "a", "accuracy": 0.5, "mean_class_accuracy": 0.5, "auc": 0.5, "average_precision": 0.5,
        "average_precision_11_point": 0.5, "predictions": [{"item": "i", "label": 1, "predicted": 0, "confidence": 0.5}],
        "seconds": {"train": 2.5}, "recipe": "r", "estimate": 0.5, "estimate_error": 0.25, "C": 10.0,
        "indefinite": {"smallest_eigenvalue": -0.5, "largest_eigenvalue": 2.0, "negative": 3},
        "convergence": {"steps": 4, "violation": 0.5, "reached": false},
        "kernel_shares": [{"branch": "b", "share": 1.0, "parts": [0.5, 0.5]}],
        "num_train": 2, "num_test": 1, "peak_memory_mib": 8.5},
       {"seed": 8, "auc": 0.5, "map": 0.5, "map_11_point": 0.5, "auc_per_label": [0.5, null],
        "average_precision_per_label": [0.5, null], "average_precision_11_point_per_label": [0.5, null],
        "predictions": [{"item": "i", "labels": [0, 1], "difficult": [1], "scores": [0.5, -1.0]}]}]},
    {"method": "both", "fused": ["m", "m"], "weights": [1.0, 2.0], "seconds": {}, "splits": []}],
  "comparison": [{"name": "n", "unit": "percent", "paper": 0.5, "paper_std": 0.125, "tolerance": 0.25, "ours": 0.5,
                  "ours_std": 0.125, "verdict": "reached", "note": "why"}],
  "curves": [{"title": "t", "x": {"label": "D", "log": true}, "y": {"label": "Accuracy", "unit": "percent"},
              "series": [{"name": "m", "points": [[1.0, 0.5, 0.25, 0.75]]}, {"name": "m", "paper": true, "points": [[1.0, 0.5]]}]}],
  "title": "t",
  "experiment": {"name": "e", "paper": "p", "title": "t", "quick": false, "command": "muster reproduce e"},
  "notes": ["one"], "thumbnails": {"i": "data:image/png;base64,AA"},
  "weight_maps": [{"title": "w", "levels": [[1.0], [0.25, 0.25, 0.25, 0.25]]}],
  "pictures": [{"title": "t", "caption": "c", "source": "data:image/png;base64,AA"}]})json";

TEST(ResultsJson, WhatIsReadIsWrittenAgainByteForByte) {
  const Json record = Json::parse(kWhole);
  EXPECT_EQ(to_json(results_from_json(record)).dump(1), record.dump(1));
}

TEST(ResultsJson, ASummaryHasNothingThatGrowsWithTheData) {
  const Json summary = summary_json(results_from_json(Json::parse(kWhole)));
  const Json record = Json::parse(kWhole);
  for (const char* field : {"thumbnails", "pictures"}) EXPECT_FALSE(summary.contains(field));
  EXPECT_FALSE(summary["data"].contains("left_out"));
  const Json& method = summary["results"][0];
  EXPECT_FALSE(method.contains("full_recipe"));
  EXPECT_EQ(method["seconds"], record["results"][0]["seconds"]);
  for (const Json& split : method["splits"])
    for (const char* field :
         {"predictions", "seconds", "auc_per_label", "average_precision_per_label",
          "average_precision_11_point_per_label"})
      EXPECT_FALSE(split.contains(field)) << field;
  EXPECT_EQ(method["splits"][0]["accuracy"], 0.5);
  EXPECT_EQ(summary["comparison"], record["comparison"]);
}

RC_GTEST_PROP(ResultsJson, NumbersAndTextsComeBackExactly,
              (double value, uint64_t seed, const std::vector<double>& scores)) {
  Results results;
  results.seed = seed;
  results.class_names.assign(scores.size(), "class");
  MethodResult& method = results.methods.emplace_back();
  method.method = "x";
  method.measures.map = MeasureSummary{value, value, value, value};
  method.splits.emplace_back().scored.push_back({"item", {}, {}, scores});
  method.splits[0].seed = seed;
  const Results again = results_from_json(Json::parse(to_json(results).dump()));
  RC_ASSERT(again.seed == seed);
  RC_ASSERT(again.methods[0].measures.map->mean == value);
  RC_ASSERT(again.methods[0].splits[0].seed == seed);
  RC_ASSERT(again.methods[0].splits[0].scored[0].scores == scores);
}

TEST(ResultsJson, RefusesWhatIsNotARecordAndNamesTheField) {
  const auto message = [](const char* text) -> std::string {
    try {
      results_from_json(nlohmann::ordered_json::parse(text));
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
  EXPECT_THAT(message(R"({"results": [], "seed": -1})"), HasSubstr("seed"));
  EXPECT_THAT(message(R"({"results": [{"method": "x", "splits": [{"num_train": 1.5}]}]})"),
              HasSubstr("results[0].splits[0].num_train"));
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
