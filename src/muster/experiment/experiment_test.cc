#include "muster/experiment/experiment.h"

#include <nlohmann/json.hpp>

#include "muster/results/results_json.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

class ExperimentTest : public ::testing::Test {
 protected:
  ExperimentTest() {
    put_sets(folder_, 3, 10, 6);
    dataset_ = open_dataset(folder_.path());
    options_.protocol.train = 6;
    options_.protocol.splits = 2;
    options_.out = out_ / "bench";
    add("small", "bow:words=8/linear-svm:C=10");
  }
  void add(const std::string& name, const std::string& recipe) {
    options_.methods.push_back({name, parse_recipe(recipe)});
  }
  // The record as the file that it is for others.
  Json run() {
    said_.clear();
    return to_json(run_experiment(dataset_, options_, {},
                                  [&](const std::string& text) { said_.push_back(text); }));
  }
  size_t times_said(const std::string& text) const {
    return static_cast<size_t>(std::ranges::count_if(
        said_, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

  TempDir folder_, out_;
  Dataset dataset_;
  ExperimentOptions options_;
  std::vector<std::string> said_;
};

TEST_F(ExperimentTest, AutoChoosesForEverySplitFromItsTrainingItems) {
  options_.methods = {
      {.name = "auto", .recipe = {}, .choose = ChooseOptions{.effort = Effort::kQuick}}};
  const Json record = run();
  const Json& method = record["results"][0];
  EXPECT_EQ(method["full_recipe"], "auto:effort=quick");
  ASSERT_EQ(method["splits"].size(), 2u);
  for (const Json& split : method["splits"]) {
    EXPECT_GT(split["accuracy"], 0.6);
    EXPECT_TRUE(plan_recipe(parse_recipe(split["recipe"].get<std::string>())).classifier);
    EXPECT_GT(split["estimate"], 0.5);
    EXPECT_GE(split["estimate_error"], 0);
    EXPECT_TRUE(split["seconds"].contains("choose"));
  }
  EXPECT_EQ(run()["results"][0]["splits"], method["splits"]);  // taken from the files
}

TEST_F(ExperimentTest, RecordsWhatWasMeasured) {
  add("bow/rbf", "bow:words=8/rbf/kernel-svm:C=10");
  const Json record = run();
  EXPECT_EQ(Json::parse(read_whole_file(options_.out / "results.json")), record);
  for (const char* name : {"version", "seed", "class_names", "data", "protocol", "machine"})
    EXPECT_TRUE(record.contains(name)) << name;
  EXPECT_EQ(record["class_names"], (std::vector<std::string>{"class0", "class1", "class2"}));
  EXPECT_EQ(record["protocol"]["train"], "6");
  EXPECT_EQ(record["data"]["items"], 30);
  ASSERT_EQ(record["results"].size(), 2u);
  for (const Json& method : record["results"]) {
    for (const char* name : {"method", "recipe", "full_recipe", "accuracy_mean", "accuracy_std",
                             "mean_class_accuracy_mean", "seconds", "peak_memory_mib"})
      EXPECT_TRUE(method.contains(name)) << name;
    ASSERT_EQ(method["splits"].size(), 2u);
    double sum = 0;
    for (const Json& split : method["splits"]) {
      EXPECT_EQ(split["num_train"], 18);
      EXPECT_EQ(split["num_test"], 12);
      ASSERT_EQ(split["predictions"].size(), 12u);
      double correct = 0;
      for (const Json& prediction : split["predictions"])
        correct += prediction["label"] == prediction["predicted"];
      EXPECT_DOUBLE_EQ(split["accuracy"], correct / 12);
      sum += split["accuracy"].get<double>();
    }
    EXPECT_DOUBLE_EQ(method["accuracy_mean"], sum / 2);
    EXPECT_GT(sum / 2, 0.8);
  }
  // Both methods saw the same items.
  const auto items = [&](size_t m, size_t s) {
    std::vector<std::string> names;
    for (const Json& prediction : record["results"][m]["splits"][s]["predictions"])
      names.push_back(prediction["item"]);
    return names;
  };
  EXPECT_EQ(items(0, 0), items(1, 0));
  EXPECT_NE(items(0, 0), items(0, 1));
}

TEST_F(ExperimentTest, GoesOnWhereItStopped) {
  const Json first = run();
  EXPECT_EQ(times_said("was done before"), 0u);
  EXPECT_EQ(run(), first);
  EXPECT_EQ(times_said("was done before"), 2u);
  // One split lost: that one alone is run again, with the same outcome.
  std::filesystem::remove(options_.out / "raw" / "small.001.json");
  const Json again = run();
  EXPECT_EQ(times_said("was done before"), 1u);
  EXPECT_EQ(again["results"][0]["splits"][1]["predictions"],
            first["results"][0]["splits"][1]["predictions"]);
  // A raw file cut short by a crash of the machine is run again.
  std::ofstream(options_.out / "raw" / "small.000.json") << "{\"key\": ";
  EXPECT_EQ(run()["results"][0]["accuracy_mean"], first["results"][0]["accuracy_mean"]);
  EXPECT_EQ(times_said("was done before"), 1u);
}

TEST_F(ExperimentTest, NothingIsReusedThatWasMadeOtherwise) {
  run();
  options_.methods[0].recipe = parse_recipe("bow:words=9/linear-svm:C=10");
  run();
  EXPECT_EQ(times_said("was done before"), 0u) << "another recipe";
  options_.seed = 2;
  run();
  EXPECT_EQ(times_said("was done before"), 0u) << "another seed";
  options_.protocol.train = 5;
  run();
  EXPECT_EQ(times_said("was done before"), 0u) << "another protocol";
  put_set(folder_, "class0/more.npy", class_vectors(5, 6, 0, Rng(9)));
  dataset_ = open_dataset(folder_.path());
  run();
  EXPECT_EQ(times_said("was done before"), 0u) << "other data";
  run();
  EXPECT_EQ(times_said("was done before"), 2u);
}

TEST_F(ExperimentTest, LeavesOutWhatCannotBeReadAndSaysSo) {
  folder_.put("class1/broken.npy", "no array");
  dataset_ = open_dataset(folder_.path());
  const Json record = run();
  EXPECT_EQ(record["data"]["items"], 30);
  ASSERT_EQ(record["data"]["left_out"].size(), 1u);
  EXPECT_NE(record["data"]["left_out"][0].get<std::string>().find("broken.npy"), std::string::npos);
  EXPECT_EQ(times_said("left out"), 1u);
}

TEST_F(ExperimentTest, SeveralLabelsPerItem) {
  for (size_t i = 0; i < dataset_.labels.size(); i += 3) dataset_.labels.of_item[i] = {0, 2};
  for (size_t i = 0; i < dataset_.items.size(); ++i)
    dataset_.items[i].part = i % 2 ? Part::kTrain : Part::kTest;
  options_.protocol.protocol = Protocol::kVoc;
  const Json record = run();
  const Json& method = record["results"][0];
  EXPECT_FALSE(method.contains("accuracy_mean"));
  for (const char* name : {"auc_mean", "map_mean", "map_11_point_mean"}) {
    ASSERT_TRUE(method.contains(name)) << name;
    EXPECT_GT(method[name], 0.6) << name;
  }
  ASSERT_EQ(method["splits"].size(), 1u);
  EXPECT_EQ(method["splits"][0]["average_precision_per_label"].size(), 3u);
  ASSERT_EQ(method["labels"].size(), 3u);
  double sum = 0;
  for (const Json& label : method["labels"]) {
    EXPECT_TRUE(label.contains("auc_mean"));
    EXPECT_TRUE(label.contains("average_precision_11_point_mean"));
    sum += label["average_precision_mean"].get<double>();
  }
  EXPECT_NEAR(method["map_mean"], sum / 3, 1e-12);
  EXPECT_EQ(method["splits"][0]["predictions"][0]["scores"].size(), 3u);
}

TEST_F(ExperimentTest, PosNegAsksForOneConceptPerSplit) {
  options_.protocol.protocol = Protocol::kPosNeg;
  options_.protocol.train = 5;
  const Json record = run();
  const Json& method = record["results"][0];
  ASSERT_EQ(method["splits"].size(), 6u);  // three concepts, twice each
  std::map<std::string, int> concepts;
  for (const Json& split : method["splits"]) {
    ++concepts[split["concept"]];
    EXPECT_EQ(split["num_train"], 10);
    EXPECT_TRUE(split.contains("auc"));
    EXPECT_TRUE(split.contains("average_precision"));
  }
  EXPECT_EQ(concepts, (std::map<std::string, int>{{"class0", 2}, {"class1", 2}, {"class2", 2}}));
  EXPECT_GT(method["auc_mean"], 0.8);
  EXPECT_EQ(method["labels"].size(), 3u);
  double sum = 0;
  for (const Json& split : method["splits"]) sum += split["average_precision"].get<double>() / 6;
  EXPECT_NEAR(method["map_mean"], sum, 1e-12);
}

// A difficult label counts neither for nor against.
TEST_F(ExperimentTest, DifficultLabelsAreLeftOut) {
  dataset_.labels.multi_label = true;
  dataset_.labels.difficult.resize(dataset_.items.size());
  for (size_t i = 0; i < dataset_.items.size(); ++i)
    dataset_.items[i].part = i % 2 ? Part::kTrain : Part::kTest;
  const auto class_of = [&](size_t i) { return dataset_.labels.of_item[i].at(0); };
  // Mislabelled on purpose, half of them in the test part, and then marked as difficult.
  for (size_t i = 0; i < dataset_.items.size(); i += 3) {
    const int wrong = (class_of(i) + 1) % 3;
    dataset_.labels.difficult[i] = {wrong};
  }
  options_.protocol.protocol = Protocol::kVoc;
  const Json with = run();
  for (size_t i = 0; i < dataset_.items.size(); i += 3)
    dataset_.labels.of_item[i].push_back((class_of(i) + 1) % 3);
  for (auto& list : dataset_.labels.of_item) std::ranges::sort(list);
  EXPECT_EQ(run()["results"][0]["map_mean"], with["results"][0]["map_mean"]);
  dataset_.labels.difficult.clear();
  EXPECT_LT(run()["results"][0]["map_mean"], with["results"][0]["map_mean"]);
}

TEST_F(ExperimentTest, FusedMethodsGetARow) {
  add("kernel", "bow:words=8/rbf/klr:C=10");
  options_.fusions = {{"fused 1+2", {0, 1}, {1, 1}}, {"almost 1", {0, 1}, {1e9, 1}}};
  const Json record = run();
  ASSERT_EQ(record["results"].size(), 4u);
  const Json& fused = record["results"][2];
  EXPECT_EQ(fused["method"], "fused 1+2");
  EXPECT_EQ(fused["fused"], (std::vector<std::string>{"small", "kernel"}));
  EXPECT_GT(fused["accuracy_mean"], 0.8);
  for (size_t s = 0; s < 2; ++s)
    for (size_t i = 0; i < 12; ++i) {
      const auto of = [&](size_t m) { return record["results"][m]["splits"][s]["predictions"][i]; };
      EXPECT_EQ(of(3)["predicted"], of(0)["predicted"]);
      // Where both agree the mean cannot but agree.
      if (of(0)["predicted"] == of(1)["predicted"]) {
        EXPECT_EQ(of(2)["predicted"], of(0)["predicted"]);
      }
    }
  EXPECT_FALSE(record["results"][0]["splits"][0].contains("probabilities"));
  EXPECT_EQ(run()["results"][2]["accuracy_mean"], fused["accuracy_mean"]);
  EXPECT_EQ(times_said("was done before"), 4u);
  // What was run without a fusion kept no probabilities, and is run again.
  ExperimentOptions alone = options_;
  options_.fusions.clear();
  options_.out = out_ / "alone";
  run();
  options_ = alone;
  options_.out = out_ / "alone";
  EXPECT_EQ(run()["results"][2]["accuracy_mean"], fused["accuracy_mean"]);
  EXPECT_EQ(times_said("was done before"), 0u);
}

TEST_F(ExperimentTest, AMethodWithoutAClassifierIsAUsageError) {
  add("half", "bow:words=8");
  EXPECT_ERROR(run(), kUsage, "half");
}

}  // namespace
}  // namespace muster
