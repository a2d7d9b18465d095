// The whole way, from a sample set to a report.
#include <gmock/gmock.h>

#include "muster/recipe/plan.h"
#include "run_muster.h"

namespace muster {
namespace {

class EndToEnd : public CommandTest {
 protected:
  // The figures of a record, without what the clock and the machine add.
  static json figures(json record) {
    for (json& result : record["results"]) {
      result.erase("seconds");
      result.erase("peak_memory_mib");
      for (json& split : result["splits"]) {
        split.erase("seconds");
        split.erase("peak_memory_mib");
      }
    }
    return record["results"];
  }
};

TEST_F(EndToEnd, PicturesTrainPredictEvaluate) {
  const std::string data = pictures(3, 10);
  const json found = run_ok({"inspect", data, "--json"}).json();
  EXPECT_EQ(found["layout"], "class folders");
  EXPECT_EQ(found["items"], 30);
  EXPECT_EQ(found["classes"].size(), 3u);
  EXPECT_TRUE(found["unreadable"].empty());
  EXPECT_EQ(found["method"], "auto");
  EXPECT_GE(found["plan"]["recipes"].size(), 3u);

  const std::string file = at("m.muster");
  const std::string said = run_ok({"train", data, "-o", file, "--effort", "quick", "--set",
                                   "components=8", "--set", "fisher.samples=5000"})
                               .out;
  EXPECT_THAT(said, HasSubstr("trained on 30 items of 3 classes"));
  EXPECT_THAT(said, HasSubstr("<- chosen"));
  EXPECT_THAT(said, HasSubstr("accuracy by cross-validation"));
  const std::string some = data + "/bricks/0000.png";
  EXPECT_THAT(run_ok({"predict", file, some}).out, HasSubstr(some + "\t"));
  const json predicted = run_ok({"predict", file, some, "--top", "2", "--json"}).json();
  ASSERT_EQ(predicted.size(), 1u);
  ASSERT_EQ(predicted[0]["top"].size(), 2u);
  EXPECT_EQ(predicted[0]["class"], predicted[0]["top"][0]["class"]);
  EXPECT_GE(predicted[0]["top"][0]["probability"], predicted[0]["top"][1]["probability"]);
  EXPECT_EQ(run_ok({"predict", file, data + "/bricks", "--json"}).json().size(), 10u);

  const json evaluated = run_ok({"evaluate", file, data, "--json"}).json();
  EXPECT_GT(evaluated["accuracy"], 0.5);  // its own training pictures
  EXPECT_EQ(evaluated["items"], 30);
  EXPECT_THAT(run_ok({"evaluate", file, data}).out, HasSubstr("accuracy"));

  const json info = run_ok({"info", file, "--json"}).json();
  EXPECT_EQ(info["kind"], "model");
  EXPECT_EQ(info["classes"].size(), 3u);
  EXPECT_EQ(info["format_version"], "1");
  EXPECT_FALSE(info["cross_validation"]["table"].empty());
  EXPECT_EQ(info["choice"]["effort"], "quick");
  EXPECT_THAT(run_ok({"info", file}).out, HasSubstr("<- chosen"));
  EXPECT_THAT(run_ok({"info", file}).out, HasSubstr("components=8"));
}

TEST_F(EndToEnd, VectorSets) {
  const std::string data = clouds();
  EXPECT_EQ(run_ok({"inspect", data, "--json"}).json()["kind"], "vector sets");
  const std::string file = at("c.muster");
  run_ok({"train", data, "-o", file, "--effort", "quick"});
  EXPECT_GT(run_ok({"evaluate", file, data, "--json"}).json()["accuracy"], 0.9);
  EXPECT_THAT(run_ok({"predict", file, data + "/cross/003.npy"}).out, HasSubstr("\tcross\t"));
  run_ok({"bench", data, "--methods", "bow-linear", "--recipe", "sum-match/kernel-svm", "--train",
          "20", "--splits", "2", "-o", at("bench")});
  const json record = json::parse(read_text(at("bench/results.json")));
  for (const json& result : record["results"])
    EXPECT_GT(result["accuracy_mean"], 0.75) << result["method"];
}

TEST_F(EndToEnd, BenchWritesWhatIsPromisedAndResumes) {
  const std::string data = pictures(3, 10), out = at("bench");
  const std::vector<std::string> command{"bench",    data,       "--methods", "bow-linear,bow-rbf",
                                         "--set",    "words=20", "--train",   "5",
                                         "--splits", "2",        "-o",        out};
  EXPECT_THAT(run_ok(command).out, HasSubstr("bow-rbf"));
  const json record = json::parse(read_text(out + "/results.json"));
  for (const char* key : {"results", "data", "protocol", "machine", "version"})
    EXPECT_TRUE(record.contains(key)) << key;
  ASSERT_EQ(record["results"].size(), 2u);
  for (const json& result : record["results"]) {
    for (const char* key : {"method", "recipe", "splits", "accuracy_mean", "accuracy_std",
                            "mean_class_accuracy_mean", "seconds"})
      EXPECT_TRUE(result.contains(key)) << key;
    ASSERT_EQ(result["splits"].size(), 2u);
    for (const json& split : result["splits"]) {
      for (const char* key : {"seed", "accuracy", "mean_class_accuracy"})
        EXPECT_TRUE(split.contains(key)) << key;
      EXPECT_EQ(split["predictions"].size(), 15u);
    }
  }
  EXPECT_THAT(read_text(out + "/report.html"), HasSubstr("</html>"));
  EXPECT_THAT(read_text(out + "/results.csv"), HasSubstr("bow-rbf"));
  EXPECT_THAT(run_ok({"info", out}).out, HasSubstr("bow-linear"));

  const Ran again = run_ok(command);
  EXPECT_THAT(again.err, HasSubstr("bow-rbf: split 2 of 2 was done before"));
  EXPECT_EQ(json::parse(read_text(out + "/results.json"))["results"], record["results"]);
  const Ran fresh =
      run_ok({"bench", data, "--methods", "bow-linear,bow-rbf", "--set", "words=20", "--train", "5",
              "--splits", "2", "-o", at("fresh"), "--threads", "1", "--json"});
  EXPECT_EQ(figures(fresh.json()), figures(record));
}

TEST_F(EndToEnd, ThreadsChangeNothing) {
  const std::string data = pictures();
  for (const char* method : {"bow-linear", "bow-rbf"}) {
    for (const char* threads : {"1", "2"})
      run_ok({"train", data, "-o", at(std::string(threads) + ".muster"), "--method", method,
              "--set", "words=20", "--threads", threads});
    EXPECT_TRUE(read_text(at("1.muster")) == read_text(at("2.muster"))) << method;
    std::string said[2];
    for (int t : {1, 2})
      said[t - 1] = run_ok({"predict", at("1.muster"), data + "/stars", "--top", "3", "--threads",
                            std::to_string(t)})
                        .out;
    EXPECT_EQ(said[0], said[1]);
  }
  for (const char* threads : {"1", "2"})
    run_ok({"synth", at(threads), "--classes", "2", "--per-class", "3", "--size", "40x30",
            "--threads", threads});
  EXPECT_TRUE(read_text(at("1/bricks/0002.png")) == read_text(at("2/bricks/0002.png")));
}

TEST_F(EndToEnd, RecipesAndOverridesReachTheModel) {
  const std::string data = pictures(), file = at("m.muster");
  run_ok({"train", data, "-o", file, "--recipe",
          "dsift:size=16,24/pca:dim=8/bow:words=9,levels=1/linear-svm", "--set", "step=10", "--set",
          "linear-svm.C=3"});
  const std::string recipe = run_ok({"info", file, "--json"}).json()["recipe"];
  for (const char* part : {"step=10", "size=16,24", "pca:dim=8", "words=9", "levels=1", "C=3"})
    EXPECT_THAT(recipe, HasSubstr(part));
  EXPECT_EQ(parse_recipe(recipe).text(), recipe);
  // The spelled-out recipe means the same model.
  run_ok({"train", data, "-o", at("again.muster"), "--recipe", recipe});
  EXPECT_TRUE(read_text(file) == read_text(at("again.muster")));
}

TEST_F(EndToEnd, StoredFeaturesGiveTheSameModel) {
  const std::string data = pictures();
  run_ok({"extract", data, "-o", at("features")});
  const std::vector<std::string> train{"train",        data,    "--method",     "fisher", "--set",
                                       "components=8", "--set", "samples=5000", "-o"};
  const auto with = [](std::vector<std::string> list, std::initializer_list<std::string> more) {
    list.insert(list.end(), more);
    return list;
  };
  run_ok(with(train, {at("a.muster")}));
  run_ok(with(train, {at("b.muster"), "--features", at("features")}));
  EXPECT_TRUE(read_text(at("a.muster")) == read_text(at("b.muster")));
  run_ok({"extract", data, "-o", at("small"), "--recipe", "dsift"});
  const std::vector<std::string> bench{"bench",    data,       "--methods", "bow-linear",
                                       "--set",    "words=20", "--train",   "4",
                                       "--splits", "1",        "--json",    "-o"};
  EXPECT_EQ(figures(run_ok(with(bench, {at("a")})).json()),
            figures(run_ok(with(bench, {at("b"), "--features", at("small")})).json()));
  expect_error(with(train, {at("c.muster"), "--features", at("features"), "--set", "step=5"}), 2,
               "step=5");
  expect_error(with(train, {at("c.muster"), "--features", data}), 3, "holds no features");
  expect_error({"train", data, "-o", at("c.muster"), "--features", at("features")}, 2,
               "name a method");
  EXPECT_FALSE(fs::exists(at("c.muster")));
}

TEST_F(EndToEnd, TrainAndTestFolders) {
  const std::string data = pictures(2, 8, "data/train");
  pictures(2, 8, "data/test");  // the same pictures: inspect must notice
  EXPECT_THAT(run_ok({"train", at("data"), "-o", at("m.muster"), "--method", "fisher", "--set",
                      "components=4"})
                  .out,
              HasSubstr("16 items"));
  EXPECT_EQ(run_ok({"evaluate", at("m.muster"), at("data"), "--json"}).json()["items"], 16);
  const Ran looked = run_ok({"inspect", at("data")});
  EXPECT_THAT(looked.out, HasSubstr("ACROSS TRAIN AND TEST"));
  EXPECT_THAT(looked.out, HasSubstr("8 train, 8 test"));
}

}  // namespace
}  // namespace muster
