#include "muster/reproduce/reproduce.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "muster/results/results_json.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string all_notes(const Results& results) {
  return fmt::format("{}", fmt::join(results.notes, "\n"));
}

class ReproduceTest : public ::testing::Test {
 protected:
  ReproduceTest() {
    fs::create_directories(data_.path() / "scene-15");
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 8; ++i)
        put_set(data_, fmt::format("scene-15/class{}/{}.npy", c, i),
                class_vectors(9, 6, c, Rng(5).derive(c).derive(i)));
    options_.data = data_.path();
    options_.out = out_.path() / "r";
  }
  static PaperExperiment experiment() {
    return parse_experiment("tiny", R"(
title = "Words"
paper = "P table 1"
about = "What was done."
data = "scene-15"
stand_in = "msrc-v2"
seed = 3
[protocol]
train = 4
splits = 2
[quick]
splits = 1
[sweep]
name = "K"
label = "Words"
values = [2, 8]
quick = [8]
[[part]]
name = "two"
classes = ["class2", "class0"]
[[part]]
name = "all three"
[[method]]
name = "bow"
recipe = "bow:words={K}/linear-svm:C=10"
paper."all three" = [20, 30]
)");
  }
  Results run() {
    said_.clear();
    return reproduce(experiment(), options_, {},
                     [&](const std::string& text) { said_.push_back(text); });
  }

  TempDir data_, out_;
  ReproduceOptions options_;
  std::vector<std::string> said_;
};

TEST_F(ReproduceTest, RunsEveryPartAndValueAndComparesWithThePaper) {
  const Results results = run();
  EXPECT_EQ(results.title, "P table 1: Words");
  ASSERT_EQ(results.methods.size(), 4u);
  EXPECT_EQ(results.methods[0].method, "two: bow, K = 2");
  EXPECT_EQ(results.methods[0].splits.size(), 2u);
  EXPECT_EQ(results.methods[0].splits[0].predictions.size(), 8u);
  EXPECT_EQ(results.methods[2].splits[0].predictions.size(), 12u);
  ASSERT_EQ(results.comparison.size(), 2u);
  EXPECT_EQ(results.comparison[0].name, "all three: bow, K = 2");
  EXPECT_EQ(results.comparison[0].verdict, "reached");
  EXPECT_EQ(results.curves.size(), 2u);
  EXPECT_EQ(Json::parse(read_whole_file(options_.out / "results.json")), to_json(results));
  const Json summary = Json::parse(read_whole_file(options_.out / "summary.json"));
  EXPECT_EQ(summary["comparison"], to_json(results)["comparison"]);
  EXPECT_FALSE(summary["results"][0]["splits"][0].contains("predictions"));
}

TEST_F(ReproduceTest, AMethodMayBeRunAtSomeValuesOnly) {
  PaperExperiment some = experiment();
  some.methods[0].at = {8};
  const Results results = reproduce(some, options_, {}, [](const std::string&) {});
  ASSERT_EQ(results.methods.size(), 2u);
  EXPECT_EQ(results.methods[0].method, "two: bow, K = 8");
  EXPECT_EQ(results.comparison.size(), 1u);
}

TEST_F(ReproduceTest, GoesOnWhereItWasWithTheSameFigures) {
  const Json whole = to_json(run());
  // As if it had been killed in the middle.
  size_t removed = 0;
  for (const auto& entry : fs::recursive_directory_iterator(options_.out / "runs"))
    if (entry.path().filename() == "bow-K-8.001.json") removed += fs::remove(entry.path());
  ASSERT_EQ(removed, 2u);
  const Json again = to_json(run());
  EXPECT_EQ(again["comparison"], whole["comparison"]);
  for (size_t m = 0; m < 4; ++m)
    for (size_t s = 0; s < 2; ++s)
      EXPECT_EQ(again["results"][m]["splits"][s]["predictions"],
                whole["results"][m]["splits"][s]["predictions"]);
  EXPECT_EQ(std::ranges::count_if(
                said_, [](const std::string& s) { return s.find("was done before") != s.npos; }),
            6);
}

TEST_F(ReproduceTest, RunsAPartNowAndTakesTheRestIfItWasDone) {
  options_.first_splits = 1;
  options_.only = "K-8";
  const Results part = run();
  ASSERT_EQ(part.methods.size(), 2u);  // of two parts
  for (const MethodResult& method : part.methods) {
    EXPECT_TRUE(method.method.ends_with("K = 8"));
    EXPECT_EQ(method.splits.size(), 1u);
  }
  options_.first_splits = 0;
  options_.only = "";
  const Results whole = run();
  EXPECT_EQ(whole.methods.size(), 4u);
  for (const MethodResult& method : whole.methods) EXPECT_EQ(method.splits.size(), 2u);
  options_.only = "nothing";
  EXPECT_EQ(to_json(run())["comparison"], to_json(whole)["comparison"]);
}

TEST_F(ReproduceTest, AUniversalMixtureMayComeFromOtherData) {
  const PaperExperiment two = parse_experiment("two", R"(
title = "Mixtures"
paper = "P"
data = "voc-2006"
measure = "auc"
stand_in = "scene-15"
stand_in_measure = "accuracy"
[protocol]
train = 4
splits = 1
[[method]]
name = "own"
recipe = "supervector:components=2/linear-svm:C=10"
paper = 0.945
[[method]]
name = "other"
recipe = "supervector:components=2/linear-svm:C=10"
universal_from = "caltech-101"
[[claim]]
of = "other"
over = "own"
at_least = 0
)");
  options_.stand_in = true;
  const auto reproduced = [&] { return reproduce(two, options_, {}, [](const std::string&) {}); };
  EXPECT_ERROR(reproduced(), kData, "caltech-101 is not there");
  for (int i = 0; i < 6; ++i)
    put_set(data_, fmt::format("caltech-101/class{}/{}.npy", i % 2, i),
            class_vectors(9, 6, 7 + i % 2, Rng(6).derive(i)));
  const Results results = reproduced();
  EXPECT_FALSE(results.methods[0].universal);
  EXPECT_EQ(results.methods[1].universal.value().file, "other.safetensors");
  EXPECT_TRUE(results.methods[1].measures.accuracy);
  ASSERT_EQ(results.comparison.size(),
            1u);  // the claim; the paper's figure is of another measure
  EXPECT_TRUE(results.comparison[0].ours);
}

TEST_F(ReproduceTest, QuickSaysSo) {
  options_.quick = true;
  const Results results = run();
  EXPECT_EQ(results.methods.size(), 2u);
  EXPECT_EQ(results.methods[0].splits.size(), 1u);
  EXPECT_THAT(all_notes(results), testing::HasSubstr("quick"));
  EXPECT_EQ(results.experiment->command, "muster reproduce tiny --data DIR --quick");
}

TEST_F(ReproduceTest, MissingDataSayWhereToGetThemAndTheLayout) {
  fs::rename(data_.path() / "scene-15", data_.path() / "msrc-v2");
  EXPECT_ERROR(run(), kData, "figshare");
  EXPECT_ERROR(run(), kData, "scene-15/CLASS/*.jpg");
  EXPECT_ERROR(run(), kData, "--stand-in runs the same");
  options_.stand_in = true;
  const Results results = run();
  EXPECT_EQ(results.comparison[0].verdict, "other data than the paper's");
  EXPECT_THAT(all_notes(results), testing::HasSubstr("msrc-v2 instead of"));
  EXPECT_EQ(results.methods[0].splits[0].predictions.size(), 12u);  // all its classes
}

TEST_F(ReproduceTest, OnOtherDataOfTheUsersChoice) {
  fs::copy(data_.path() / "scene-15", data_.path() / "eth-80", fs::copy_options::recursive);
  options_.on = "eth-80";
  const Results results = run();
  EXPECT_EQ(results.data->path, "eth-80");
  EXPECT_EQ(results.comparison[0].verdict, "other data than the paper's");
  EXPECT_THAT(all_notes(results), testing::HasSubstr("eth-80 instead of"));
  EXPECT_EQ(results.experiment->command, "muster reproduce tiny --data DIR --on eth-80");
  options_.on = "voc-2006";
  EXPECT_ERROR(run(), kData, "voc-2006 is not there");
}

TEST_F(ReproduceTest, AClassThatIsNotThereIsNamed) {
  EXPECT_ERROR(select_classes(open_dataset(data_.path() / "scene-15"), {"coast"}), kData,
               "no class 'coast'");
}

TEST(Reproduce, EveryBuiltInRecipeCanBePlanned) {
  for (const PaperExperiment& e : all_experiments())
    for (const PaperMethod& method : e.methods) {
      std::vector<std::optional<double>> values{{}};
      if (e.sweep) values.assign(e.sweep->values.begin(), e.sweep->values.end());
      for (const std::optional<double>& value : values)
        EXPECT_TRUE(plan_recipe(recipe_at(e, method, value)).classifier)
            << e.name << ": " << method.name;
    }
}

}  // namespace
}  // namespace muster
